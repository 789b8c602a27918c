"""The server is killed with kill -9 again and again: no answered move is lost, and it always starts."""

from random import Random
from time import sleep

from referee.games import GAMES
from tests.support.fixtures import Start
from tests.support.soak import games
from tests.support.waiting import TIMEOUT
from tests.support.web.http_client import Table
from tests.support.web.players_until_killed import Players, again, comes_back
from tests.support.web.server_process import Running

KILLS = games(25)  # a thousand in the long form
LONGEST = 0.05  # seconds of play before a kill
ROUND = 40  # kills after which new tables are opened: the old ones have grown long or are over


def at_the_tables(server: Running, dice: Random) -> list[Players]:
    tables: list[Table] = [server.client.open_table(game=game, desk=None) for game in GAMES]
    return [Players(table.everybody(), Random(dice.random())) for table in tables]


def test_killed_over_and_over_it_keeps_every_answered_move_and_starts(start: Start) -> None:
    dice = Random(7)
    server = start()
    playing: list[Players] = []
    for kill in KILLS:
        if kill % ROUND == 0:
            playing = at_the_tables(server, dice)
        playing = [Players(again(players.phones, server), players.dice) for players in playing]
        for players in playing:
            players.start()
        dice.choice(playing).wait(playing[0].version + dice.randrange(3))
        sleep(dice.uniform(0, LONGEST))  # any moment will do
        server.kill()
        for players in playing:
            players.join(TIMEOUT)
        server.again()
        for players in playing:
            comes_back(players, server)
