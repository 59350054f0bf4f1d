"""Klaverjas, version 0, as a PettingZoo module: `env`, `raw_env` and `parallel_env`, and the page about them.

# Klaverjas

| Import             | `from klaverjas_env import klaverjas_v0`                 |
|--------------------|----------------------------------------------------------|
| Actions            | Discrete                                                 |
| Parallel API       | Yes, turn by turn                                        |
| Manual Control     | No                                                       |
| Agents             | `agents= ['player_0', 'player_1', 'player_2', 'player_3']` |
| Agents             | 4                                                        |
| Action Shape       | ()                                                       |
| Action Values      | Discrete(45)                                             |
| Observation Shape  | (606,)                                                   |
| Observation Values | [0, 8]                                                   |
| State Shape        | (702,)                                                   |
| State Values       | [0, 8]                                                   |

Klaverjas is a Dutch trick-taking game for four players in two partnerships, with 32 cards. `player_0` to `player_3`
sit south, west, north and east; `player_0` and `player_2` are partners, and so are `player_1` and `player_3`. Trump is
chosen, eight tricks are played, and the side that chose trump must take more points than its opponents or loses
everything. A match is 16 deals (a boompje) or goes on to a number of points; the deal passes clockwise.

### Arguments

```python
klaverjas_v0.env(variant=None, deals=None, render_mode=None, illegal="penalize", open_hands=False)
```

`variant`: the house rules, as a text such as `"rotterdams/stock-zoeker"` or `"amsterdams, four_jacks=100"`, or as a
`Variant`. The default is `"amsterdams/utrechts"`.

`deals`: the number of deals in a match. When left out the variant says when a match ends: after 16 deals, unless it
names another number or a target of points.

`render_mode`: `"ansi"`, with which `render()` returns the table as text; `"human"`, which writes it to standard output
after every step; or `"rgb_array"`, with which `render()` draws it as uint8 (720, 1080, 3) (needs Pillow: install
`klaverjas-env[render]`).

`illegal`: what an illegal action does: `"penalize"` ends the match (the default of `env`), `"raise"` raises
`IllegalActionError` and changes nothing (that of `raw_env`).

`open_hands`: whether `render()` shows all four hands and not only that of the agent whose turn it is. Agents see no
more for it; the house rule of the same name (`variant="amsterdams, open_hands=true"`) shows the hands to them too.

`raw_env` takes the same arguments and does not watch the order of calls. `parallel_env` is `env` behind PettingZoo's
turn-based parallel API: every agent is observed after every step, and only the action of the agent whose turn it is
counts.

### Observation Space

The observation is a dictionary. `'observation'` is the view of the agent as float32 (606,) between 0 and 8: its own
hand and what is public, never a card that it has not seen. `'action_mask'` holds the legal actions as int8 (45,).
`observe` may be asked for any agent at any time, and what it returns never changes later: every call allocates its own
observation; only the mask of an agent is one array, the one in its info, for as long as it has the turn.

The layout is named `klaverjas-observation-v2`; `klaverjas_env.observation.BLOCKS` lists name and width of every block
and `OFFSETS` where it begins. In short: fifteen planes of 32 cards (8 * suit + rank; suits clubs, diamonds, hearts,
spades; ranks 7 8 9 10 J Q K A) for the hand, the cards on the table and those played before by seat, what each other
seat could still hold, leads, the trick of each card and the highest cards left; then the choice of trump (phase,
trump, turned suit, who passed, declarer, dealer), the trick (number, cards on table, led suit, winner), the standing
of the deal (points, roem, tricks, what the playing side still needs), lengths of suits, and the house rules. Other
seats are relative: left, partner, right.

#### Legal Actions Mask

The mask is all zeros for every agent but the one whose turn it is. It is also in `infos[agent]["action_mask"]`. Where
nets read masks of agents that have nothing to decide, an empty one would give them nothing to choose from; there the
mask is "pass" alone, and the action does nothing: for all agents after the match, and in `parallel_env` off turn.

With `illegal="penalize"` an illegal action ends the match: both agents of its side get -162 (the card points of a
deal), the other two 0. An action outside the action space raises AssertionError, as PettingZoo's wrappers do.

### Action Space

The layout is named `klaverjas-actions-v1` and is the same for all house rules:

| Action ID | Action                                                                          |
|-----------|---------------------------------------------------------------------------------|
| 0..31     | play the card 8 * suit + rank                                                   |
| 32        | pass                                                                            |
| 33        | play on the turned suit                                                         |
| 34..37    | name clubs, diamonds, hearts or spades as trump                                 |
| 38..44    | claim roem in the trick just won: 0, 20, 40, 50, 70, 100, 200 (house `declare`) |

### Rewards

At the end of each deal every agent gets the points of its own side minus those of the other side, roem, nat and pit
included; all other rewards are 0. Rewards are in points, and those of the two sides add up to zero. They reach an agent
through `last()` when it next has the turn, or when the match ends. `infos[agent]["deal"]` then holds the result of the
deal: `number` (from 1), `declarer`, `trump` (suit 0..3), `score` and `totals` (south-north, west-east), `nat`,
`pit` (`"none"`, `"playing"` or `"defending"`), and `reneged`: the agent that ended the deal by a card against the rules
where the house lets that be played, else None.

### State

`state()` is for critics that see all cards: the observation of `player_0`, then the hands of west, north and east.

### Reset

`reset(seed=s)` (0..2^63-1) plays the deals of seed `s`, always the same ones. Each `reset()` after it begins a further
match, from a seed derived from `s` and the number of such resets, so that a whole run repeats exactly. An environment
that never got a seed takes one from the operating system.

`reset(options={"deal": record})` begins with a given deal, a record of `klaverjas_env.replay` (hands and dealer;
optionally the contract, bids and plays so far). The fields of a record may also be options of their own: they replace
those of the record, or without one those of the deal of the seed, so that `{"dealer": 2}` and
`{"contract": {"declarer": 1, "trump": "H"}}` do what they say. The house rules and the number of deals are those of the
environment; later deals come from the seed. Other options are ignored.

### Copies

`copy.deepcopy` and `pickle` keep a match where it stands, with the random streams of the spaces. For search `clone()`
does so many times faster, with new spaces; `get_state()` gives the match as bytes that name the house rules, and
`set_state(state)` goes on from there, in this environment or another one of the same house rules.

### Version History

* v0: Initial version (0.1.0)

"""

import pettingzoo

from klaverjas_env.envs.aec import env, raw_env
from klaverjas_env.envs.parallel import parallel_env

__all__ = ["env", "parallel_env", "raw_env"]

ID = "klaverjas_v0"
"""What `pettingzoo.make("aec", ...)` and `pettingzoo.make("parallel", ...)` know it by, from PettingZoo 1.27 on."""

if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", ID, "klaverjas_env.klaverjas_v0:env")
    pettingzoo.register("parallel", ID, "klaverjas_env.klaverjas_v0:parallel_env")
