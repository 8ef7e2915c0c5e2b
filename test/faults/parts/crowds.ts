/**
 * US5, RL5: how many agents, user sessions and sockets there can be, and a reader that stalls. RL4:
 * sockets that are cut, and their server killed.
 */
import { productFolder } from '../build.ts'
import { consoles } from '../consoles/consoles.ts'
import { cuts } from '../consoles/cuts.ts'
import { resumeSkipsOne } from '../controls.ts'
import { isClean } from '../oracle.ts'
import { type Part, timed, withBuild } from './part.ts'

const inSeconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`

export const crowd: Part = async ({ seed, points }) => [
  await timed(async () => {
    const size = { agents: points(50), userSessions: points(200), sockets: points(1000) }
    const result = await consoles({ build: productFolder, ...size, stalls: true })
    const { tally, allReadyMs, allAnsweredMs, createdMs, heardMs, cutWith } = result
    const text = [
      `all agents ready in ${inSeconds(allReadyMs)}, all answered in ${inSeconds(allAnsweredMs)}`,
      `a user session in ${createdMs.toFixed(1)} ms`,
      `a turn heard by all sockets in ${inSeconds(heardMs)}`,
      `the stalled reader cut with ${cutWith}`,
    ].join(', ')
    return {
      rule: 'US5',
      test: 'many agents, user sessions and sockets',
      points: `${size.agents} agents in one user session, ${size.userSessions} user sessions, ${size.sockets} sockets`,
      seed,
      tally,
      controls: [],
      figure: { text, holds: cutWith === 4008 },
    }
  }),
]

export const cutSockets: Part = async ({ seed, points }) => [
  await timed(async () => {
    const result = await cuts({ build: productFolder, seed, cuts: points(200), kills: points(20) })
    const broken = await withBuild([resumeSkipsOne], (build) =>
      cuts({ build, seed, cuts: 5, kills: 0 }),
    )
    return {
      rule: 'RL4',
      test: 'two devices, cut while an agent answers',
      points: `${result.cuts} cuts, ${result.kills} kills of the server in mid-turn, ${result.turns} turns, ${result.events} messages on each`,
      seed,
      tally: result.tally,
      controls: [{ name: 'resume skips one', caught: !isClean(broken.tally) }],
    }
  }),
]
