// Phones of boardgame.io: the socket.io client that it uses itself, on a websocket from the start.
const { io } = require('socket.io-client');
const { call, any } = require('./phones.cjs');

class Phone {
  constructor(url, match, player, credentials) {
    this.match = match;
    this.player = player;
    this.credentials = credentials;
    this.state = null;
    this.at_view = null;
    this.socket = io(`${url}/duel`, { transports: ['websocket'], forceNew: true });
    this.came = new Promise((done) => (this.first = done));
    this.socket.on('connect', () => this.socket.emit('sync', match, player, credentials, 2));
    this.socket.on('sync', (_match, { state }) => this.seen(state));
    this.socket.on('update', (_match, state) => this.seen(state));
  }

  will_play() {} // on the socket that it has

  get version() {
    return this.state._stateID;
  }

  seen(state) {
    const fresh = !this.state || state._stateID > this.state._stateID;
    this.state = state;
    this.first();
    if (fresh && this.at_view) this.at_view();
  }

  move(type, ...args) {
    const payload = { type, args, playerID: this.player, credentials: this.credentials };
    this.socket.emit('update', { type: 'MAKE_MOVE', payload }, this.state._stateID, this.match, this.player);
  }

  attack() {
    const { G } = this.state;
    const enemy = this.player === '0' ? '1' : '0';
    const houses = [1, 2, 3].filter((house) => !G.sides[enemy].houses[house - 1].destroyed);
    this.move('attack', any(G.players[this.player].cards.filter((card) => card > 2)), any(houses));
  }

  until(is_so) {
    return new Promise((done) => {
      if (is_so(this.state)) return done();
      this.at_view = () => is_so(this.state) && done();
    });
  }
}

const boardgame = (url) => ({
  async open(hidden) {
    const { matchID } = await call(url, '/games/duel/create', { numPlayers: 2 });
    const phones = [];
    for (const player of ['0', '1']) {
      const joined = await call(url, `/games/duel/${matchID}/join`, { playerID: player, playerName: player });
      phones.push(new Phone(url, matchID, player, joined.playerCredentials));
    }
    await Promise.all(phones.map((phone) => phone.came));
    for (const [n, phone] of phones.entries()) {
      phone.move('hide', hidden);
      await Promise.all(phones.map((each) => each.until((state) => state.G.sides[n].hidden)));
    }
    return { phones, first: Number(phones[0].state.ctx.currentPlayer) };
  },
});

module.exports = { boardgame };
