// A hidden-card duel for boardgame.io, equal to what is played of Agent Hunter: three hidden houses a side, an
// attack with a card from hand is told PLUS, MOINS or RÉUSSITE. Its server and its React client share it.
const { INVALID_MOVE, PlayerView, Stage } = require('boardgame.io/core');

const HOUSES = 3;
const VALUES = [...Array(10).keys()];

const side = () => ({
  hidden: false,
  houses: Array.from({ length: HOUSES }, () => ({ destroyed: false, decoys: 0, value: null })),
  hand_size: VALUES.length,
  decoys_left: 5,
  known_in_hand: [],
});

function hide({ G, ctx, playerID, events }, houses) {
  const mine = G.players[playerID];
  if (G.sides[playerID].hidden || houses.length !== HOUSES || new Set(houses).size !== HOUSES) return INVALID_MOVE;
  if (!houses.every((card) => VALUES.includes(card))) return INVALID_MOVE;
  mine.houses = houses;
  mine.cards = VALUES.filter((card) => !houses.includes(card));
  G.sides[playerID].hidden = true;
  G.sides[playerID].hand_size = mine.cards.length;
  G.said = [{ kind: 'hidden', by: playerID }];
  if (G.sides['0'].hidden && G.sides['1'].hidden) events.setPhase('act');
}

function attack({ G, playerID, events }, card, house) {
  const mine = G.players[playerID];
  const enemy = playerID === '0' ? '1' : '0';
  const target = G.sides[enemy].houses[house - 1];
  if (!mine.cards.includes(card) || !target || target.destroyed) return INVALID_MOVE;
  const held = G.players[enemy].houses[house - 1];
  const answer = held === card ? 'reussite' : held > card ? 'plus' : 'moins';
  G.said = [{ kind: 'attack', by: playerID, card, house, answer }];
  G.turns += 1;
  if (answer === 'reussite') {
    target.destroyed = true;
    target.value = card;
    mine.cards = mine.cards.filter((other) => other !== card);
    G.sides[playerID].hand_size = mine.cards.length;
  } else if (!G.sides[playerID].known_in_hand.includes(card)) {
    G.sides[playerID].known_in_hand.push(card);
  }
  events.endTurn();
}

const duel = {
  name: 'duel',
  minPlayers: 2,
  maxPlayers: 2,
  setup: () => ({
    turns: 0,
    said: [],
    sides: { 0: side(), 1: side() },
    players: { 0: { houses: [], cards: VALUES }, 1: { houses: [], cards: VALUES } },
  }),
  playerView: PlayerView.STRIP_SECRETS,
  phases: {
    hide: { start: true, moves: { hide: { move: hide, client: false } }, turn: { activePlayers: { all: Stage.NULL } } },
    act: { moves: { attack: { move: attack, client: false } } },
  },
  endIf: ({ G }) => {
    const lost = ['0', '1'].find((player) => G.sides[player].houses.every((house) => house.destroyed));
    return lost && { winner: lost === '0' ? '1' : '0' };
  },
};

module.exports = { duel };
