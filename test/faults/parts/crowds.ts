/** US5, RL5: how many agents, user sessions and sockets there can be, and a reader that stalls. */
import { productFolder } from '../build.ts'
import { consoles } from '../consoles/consoles.ts'
import { type Part, timed } from './part.ts'

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
