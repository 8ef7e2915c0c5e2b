/** GW4, GW5: requests to models across kills of server, coordinator and agent. */
import { productFolder } from '../build.ts'
import type { Change } from '../changes.ts'
import { type GatewayKillOptions, gatewayAcrossKills } from '../gateway-kills.ts'
import { isClean, saysProgress } from '../oracle.ts'
import { inLanes, type Part, sum, timed, withBuild } from './part.ts'

const file = 'coordinator/gateway/gateway.ts'
const notAsked: Change = {
  file,
  find: "if (isCounted) report({ type: 'model-asked', ...of })",
  replace: '',
}
const cutIsExact: Change = {
  file: 'coordinator/gateway/usage-counter.ts',
  find: 'finished: isOver && !this.#tooLong && Object.keys(usage).length > 0',
  replace: 'finished: isOver || true',
}
/** Masking alone would still hide it. */
const keyGiven: Change[] = [
  {
    file: 'coordinator/gateway/agent-gateway.ts',
    find: 'HOLDFAST_GATEWAY_KEY: token }',
    replace:
      'HOLDFAST_GATEWAY_KEY: token, LEAKED: (options as unknown as { gatewayKey: string }).gatewayKey }',
  },
  {
    file: 'coordinator/launch-secrets.ts',
    find: '[gatewayKey, gatewayToken(launchToken)]',
    replace: '[gatewayToken(launchToken)]',
  },
]
const reportedTwice: Change = {
  file,
  find: 'if (!isCounted || isReported) return',
  replace: 'if (!isCounted) return',
}

export const killGateway: Part = async (bench) => [
  await timed(async () => {
    const { seed, points, withinMs } = bench
    const { results, tally } = await inLanes(bench, points(200), (lane, kills) =>
      gatewayAcrossKills({
        build: productFolder,
        seed: lane,
        kills,
        withinMs,
        onKill: saysProgress(`kill-gateway ${lane}`),
      }),
    )
    const broken = (
      changes: Change | Change[],
      options: Partial<GatewayKillOptions> = {},
    ): Promise<boolean> =>
      withBuild(
        [changes].flat(),
        async (build) =>
          !isClean((await gatewayAcrossKills({ build, seed, kills: 8, ...options })).tally),
      )
    const controls = [
      { name: 'a request that leaves unrecorded', caught: await broken(notAsked) },
      {
        name: 'a cut stream taken for exact',
        caught: await broken(cutIsExact, { victims: ['agent'] }),
      },
      {
        name: 'a key that the agent is given',
        caught: await broken(keyGiven, { kills: 1, victims: ['agent'] }),
      },
      { name: 'an answer told twice', caught: await broken(reportedTwice) },
    ]
    const count = (of: 'requests' | 'whole' | 'cut' | 'kills') => sum(results, (one) => one[of])
    const reported = `${count('kills')} kills, ${count('requests')} requests, ${count('whole')} had whole, ${count('cut')} cut`
    return {
      rule: 'GW5',
      test: 'tokens counted across kills',
      points: reported,
      seed,
      tally,
      controls,
    }
  }),
]
