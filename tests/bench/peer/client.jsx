// A phone of the duel: boardgame.io's own React client, with what a phone of the referee shows: the answer
// large until it is tapped away, the decision, and folded the table, the log and the hidden hand.
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { Client } from 'boardgame.io/react';
import { SocketIO } from 'boardgame.io/multiplayer';
import { duel } from './game.cjs';

const WORDS = { plus: 'PLUS', moins: 'MOINS', reussite: 'RÉUSSITE' };
const SIGNS = { plus: 'M24 6 44 42H4z', moins: 'M4 6h40L24 42z', reussite: 'M24 4a20 20 0 1 0 .1 0z' };
const MEANS = {
  plus: 'La carte cachée est plus grande.',
  moins: 'La carte cachée est plus petite.',
  reussite: 'La planque est détruite.',
};
const LOWEST = [0, 1, 2]; // hidden by both, who attack with higher cards: nobody ever hits
const NAMES = ['Ana', 'Ben'];

function Answer({ said, onward }) {
  return (
    <section className="answer" aria-labelledby="answer-word">
      <svg viewBox="0 0 48 48" width="96" aria-hidden="true"><path d={SIGNS[said.answer]} fill="currentColor" /></svg>
      <h1 id="answer-word" tabIndex={-1}>{WORDS[said.answer]}</h1>
      <p className="means">{MEANS[said.answer]}</p>
      <p>{`${NAMES[said.by]} attaque la planque ${said.house} de ${NAMES[1 - said.by]} avec un ${said.card}.`}</p>
      <button onClick={onward}>Continuer</button>
    </section>
  );
}

function Picks({ name, options, picked, pick }) {
  return (
    <fieldset>
      <legend>{name}</legend>
      <div className="picks">
        {options.map((value) => (
          <button key={value} data-pick={`${name}-${value}`} aria-pressed={value === picked} onClick={() => pick(value)}>{value}</button>
        ))}
      </div>
    </fieldset>
  );
}

function Attack({ cards, houses, attack }) {
  const [card, pickCard] = useState(null);
  const [house, pickHouse] = useState(null);
  return (
    <>
      <h1>À vous de jouer</h1>
      <Picks name="Carte" options={cards} picked={card} pick={pickCard} />
      <Picks name="Planque" options={houses} picked={house} pick={pickHouse} />
      <button className="attack" disabled={card === null || house === null} onClick={() => attack(card, house)}>Attaquer</button>
    </>
  );
}

function Side({ name, side }) {
  return (
    <li>
      <b>{name}</b> <span>{`${side.hand_size} cartes en main, ${side.decoys_left} leurres`}</span>
      <ol>
        {side.houses.map((house, n) => (
          <li key={n}>{house.destroyed ? `détruite, ${house.value}` : `cachée, ${house.decoys} leurres`}</li>
        ))}
      </ol>
      <p>{`Cartes connues : ${side.known_in_hand.join(', ') || 'aucune'}`}</p>
    </li>
  );
}

function Board({ G, ctx, moves, playerID, log }) {
  const [read, setRead] = useState(0); // the last turn whose answer was tapped away
  const mine = G.players[playerID];
  const enemy = 1 - playerID;
  const said = G.said.find(({ kind }) => kind === 'attack');
  const isAnswering = said && G.turns > read;
  const houses = [1, 2, 3].filter((house) => !G.sides[enemy].houses[house - 1].destroyed);
  return (
    <main className={isAnswering ? 'answering' : ''}>
      <header><b>{NAMES[playerID]}</b></header>
      <div id="answer">{isAnswering && <Answer said={said} onward={() => setRead(G.turns)} />}</div>
      <div id="decision">
        {isAnswering ? null : !G.sides[playerID].hidden ? (
          <button className="hide" onClick={() => moves.hide(LOWEST)}>{`Cacher ${LOWEST.join(', ')}`}</button>
        ) : ctx.currentPlayer === playerID ? (
          <Attack key={G.turns} cards={mine.cards} houses={houses} attack={moves.attack} />
        ) : (
          <h1>{`On attend ${NAMES[enemy]}`}</h1>
        )}
      </div>
      <details>
        <summary>La table</summary>
        <ul>{[0, 1].map((player) => <Side key={player} name={NAMES[player]} side={G.sides[player]} />)}</ul>
      </details>
      <details>
        <summary>Déroulement</summary>
        <ol>
          {log.map(({ action: { type, payload } }, n) => (
            <li key={n}>{type === 'MAKE_MOVE' ? `${NAMES[payload.playerID]} ${payload.type} ${(payload.args || []).join(' ')}` : type}</li>
          ))}
        </ol>
      </details>
      {!isAnswering && (
        <details className="secret">
          <summary>Mes cartes</summary>
          <ol>{mine.houses.map((card, n) => <li key={n}>{card}</li>)}</ol>
          <ul>{mine.cards.map((card) => <li key={card}>{card}</li>)}</ul>
        </details>
      )}
    </main>
  );
}

const { match, player, credentials } = Object.fromEntries(new URLSearchParams(location.search));
const Phone = Client({ game: duel, board: Board, multiplayer: SocketIO({ server: location.origin }), debug: false });
createRoot(document.getElementById('root')).render(<Phone matchID={match} playerID={player} credentials={credentials} />);
