// The load, the same program for both: every table has two phones, each with its live connection; whoever's
// turn it is moves as soon as its new view has come. What is timed is the way from a move to the other's view.
// node load.cjs referee|boardgame URL play TABLES WARM SECONDS [MOVES]   or   … hold PHONES
// WARM seconds are played at the same tables before anything is measured; MOVES end a table before its time.
const { referee } = require('./phones.cjs');
const { boardgame } = require('./sockets.cjs');

const HIDDEN = [0, 1, 2]; // both sides hide the lowest cards and attack with higher ones: nobody ever hits
const AT_ONCE = 16; // tables that are being set up at the same time

async function opened(peer, count) {
  const tables = [];
  let left = count;
  const worker = async () => {
    while (left-- > 0) tables.push(await peer.open(HIDDEN));
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, worker));
  return tables;
}

function play(table, moves, ends, times) {
  return new Promise((done) => {
    let left = moves;
    let began = 0;
    let mover = table.first;
    let wanted = 0; // the version that the move will bring
    const move = () => {
      wanted = table.phones[mover].version + 1;
      began = performance.now();
      table.phones[mover].attack();
    };
    for (const [place, phone] of table.phones.entries()) {
      phone.at_view = () => {
        if (left <= 0 || place === mover || phone.version < wanted) return; // or the mover's own view
        const now = performance.now();
        times.push(now - began);
        mover = place;
        left -= 1;
        if (left > 0 && now < ends) return move();
        left = 0;
        table.first = place;
        done();
      };
    }
    move();
  });
}

async function played(tables, moves, seconds) {
  const times = [];
  const ends = performance.now() + seconds * 1000;
  await Promise.all(tables.map((table) => play(table, moves, ends, times)));
  return times;
}

async function measured(peer, count, warm, seconds, moves = Infinity) {
  const tables = await opened(peer, count);
  await Promise.all(tables.flatMap((table) => table.phones.map((phone) => phone.will_play())));
  if (warm) await played(tables, Infinity, warm);
  process.stdout.write('ready\n');
  await new Promise((go) => process.stdin.once('data', go));
  const before = process.cpuUsage();
  const began = performance.now();
  const times = await played(tables, moves, seconds);
  const took = (performance.now() - began) / 1000;
  const { user, system } = process.cpuUsage(before);
  process.stdout.write(`${JSON.stringify({ seconds: took, load_cpu: (user + system) / 1e6, times })}\n`);
  await new Promise((go) => process.stdin.once('data', go));
}

async function held(peer, phones) {
  await opened(peer, phones / 2);
  process.stdout.write('ready\n');
  await new Promise((go) => process.stdin.once('data', go));
}

const [kind, url, what, ...figures] = process.argv.slice(2);
const peer = { referee, boardgame }[kind](url);
const work = { play: measured, hold: held }[what];
work(peer, ...figures.map(Number)).then(() => process.exit(0));
