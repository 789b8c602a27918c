// Phones of the referee: a stream that is read as it comes, and a kept-alive connection for the moves.
const http = require('node:http');
const net = require('node:net');

function call(url, path, body, token) {
  return new Promise((done, failed) => {
    const headers = { 'Content-Type': 'application/json', ...(token ? { Authorization: `Bearer ${token}` } : {}) };
    const asked = http.request(`${url}${path}`, { method: 'POST', agent: false, headers }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (piece) => (text += piece));
      answer.on('end', () => (answer.statusCode < 300 ? done(JSON.parse(text)) : failed(Error(text))));
    });
    asked.end(JSON.stringify(body));
  });
}

function refused(text) {
  process.stderr.write(`refused: ${text}\n`);
  process.exit(1);
}

class Phone {
  constructor(url, table, { token }) {
    const { hostname, port, host } = new URL(url);
    this.where = { host: hostname, port, noDelay: true };
    this.head = `Host: ${host}\r\nAuthorization: Bearer ${token}\r\n`;
    this.path = `/api/tables/${table}`;
    this.view = null;
    this.at_view = null;
    this.answers = Buffer.alloc(0);
    this.stream = net.connect(this.where);
    this.stream.write(`GET ${this.path}/me/events HTTP/1.1\r\n${this.head}\r\n`);
    this.chunks = Buffer.alloc(0);
    this.text = Buffer.alloc(0);
    this.started = false;
    this.came = new Promise((done) => (this.first = done));
    this.stream.on('data', (data) => this.heard(data));
  }

  // The line on which moves are posted; a phone that only listens has none.
  will_play() {
    this.poster = net.connect(this.where);
    this.poster.on('data', (data) => this.answered(data));
    return new Promise((done) => this.poster.once('connect', done));
  }

  get version() {
    return this.view.version;
  }

  heard(data) {
    this.chunks = this.chunks.length ? Buffer.concat([this.chunks, data]) : data;
    if (!this.started) {
      const end = this.chunks.indexOf('\r\n\r\n');
      if (end < 0) return;
      if (!this.chunks.toString('latin1', 0, 12).endsWith('200')) refused(this.chunks.toString());
      this.chunks = this.chunks.subarray(end + 4);
      this.started = true;
    }
    for (;;) {
      const line = this.chunks.indexOf('\r\n');
      if (line < 0) return;
      const size = parseInt(this.chunks.toString('latin1', 0, line), 16);
      if (this.chunks.length < line + 4 + size) return;
      this.told(this.chunks.subarray(line + 2, line + 2 + size));
      this.chunks = this.chunks.subarray(line + 4 + size);
    }
  }

  told(piece) {
    this.text = this.text.length ? Buffer.concat([this.text, piece]) : piece;
    for (let end = this.text.indexOf('\n\n'); end >= 0; end = this.text.indexOf('\n\n')) {
      const event = this.text.toString('utf8', 0, end);
      this.text = this.text.subarray(end + 2);
      const data = event.indexOf('\ndata: ');
      if (event.startsWith('event: view') && data > 0) this.seen(JSON.parse(event.slice(data + 7)));
    }
  }

  seen(view) {
    this.view = view;
    this.first();
    if (this.at_view) this.at_view();
  }

  chosen() {
    const [card, house] = this.view.me.choices.find((choice) => choice.type === 'attack_from_hand').fields;
    return { card: any(card.options.filter((value) => value > 2)), house: any(house.options) };
  }

  attack() {
    const body = JSON.stringify({ version: this.view.version, type: 'attack_from_hand', ...this.chosen() });
    const type = 'Content-Type: application/json\r\n';
    this.poster.write(
      `POST ${this.path}/moves HTTP/1.1\r\n${this.head}${type}Content-Length: ${body.length}\r\n\r\n${body}`,
    );
  }

  answered(data) {
    this.answers = this.answers.length ? Buffer.concat([this.answers, data]) : data;
    const end = this.answers.indexOf('\r\n\r\n');
    if (end < 0) return;
    const head = this.answers.toString('latin1', 0, end).toLowerCase();
    const length = Number(/content-length: (\d+)/.exec(head)[1]);
    if (this.answers.length < end + 4 + length) return;
    const answer = JSON.parse(this.answers.toString('utf8', end + 4, end + 4 + length));
    if (!head.startsWith('http/1.1 200')) refused(JSON.stringify(answer));
    this.answers = this.answers.subarray(end + 4 + length);
  }
}

const any = (values) => values[Math.floor(Math.random() * values.length)];

const referee = (url) => ({
  async open(hidden) {
    const wish = { game: 'agent_hunter', options: { first: 'target' }, desk: null };
    const { table, seats } = await call(url, '/api/tables', wish);
    const path = `/api/tables/${table}`;
    const places = [];
    for (const { seat, key } of seats) {
      places.push({ seat, ...(await call(url, `${path}/seats/${seat}`, { key, name: seat })) });
    }
    for (const [n, { token }] of places.entries()) {
      await call(url, `${path}/moves`, { version: 2 + n, type: 'hide', houses: hidden }, token);
    }
    const phones = places.map((place) => new Phone(url, table, place));
    await Promise.all(phones.map((phone) => phone.came));
    return { phones, first: seats.findIndex(({ seat }) => seat === 'target') };
  },
});

module.exports = { referee, call, any };
