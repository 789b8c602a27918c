// The other side of the comparison: boardgame.io's server with a hidden-card duel.
// node duel.cjs PORT memory|FOLDER [CLIENT]: CLIENT is the bundle of a phone's page, shown at /phone.
const { readFileSync } = require('node:fs');
const { Server, FlatFile } = require('boardgame.io/server');
const { duel } = require('./game.cjs');

const PAGE = `<!doctype html>
<html lang="fr"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Duel</title><link rel="stylesheet" href="/client.css"><div id="root"></div><script src="/client.js"></script>`;

const [port, kept, client] = process.argv.slice(2);
const server = Server({
  games: [duel],
  origins: [],
  ...(kept === 'memory' ? {} : { db: new FlatFile({ dir: kept }) }),
});
if (client) {
  const files = {
    '/phone': ['html', PAGE],
    '/client.js': ['js', readFileSync(client)],
    '/client.css': ['css', readFileSync(require.resolve('./client.css'))],
  };
  server.app.use((asked, next) => {
    if (!files[asked.path]) return next();
    [asked.type, asked.body] = files[asked.path];
  });
}
const listen = server.app.listen.bind(server.app);
server.app.listen = (at, done) => listen(at, '127.0.0.1', done);
server.run(Number(port));
