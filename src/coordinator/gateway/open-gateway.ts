/** Opens the gateway for a launch, if its agent speaks to its models through one (GW1). */
import type { LaunchParticulars } from '../../protocol/processes/link.ts'
import type { AcpAgent } from '../acp-agent.ts'
import type { Gateway, OpenGateway } from './gateway.ts'

interface RunningLaunch {
  readonly acpAgent?: Pick<AcpAgent, 'onlyTurn'>
  readonly stopping: boolean
}

/** GW3: a launch that is being ended asks no model any more. */
export async function openGatewayFor(
  gateway: Gateway,
  { isolation, gatewayKey: key, launchId, launchToken }: LaunchParticulars,
  launch: RunningLaunch,
): Promise<OpenGateway | undefined> {
  if (!isolation?.gateway || key === undefined) return undefined
  return gateway.open({
    launchId,
    launchToken,
    key,
    upstream: isolation.gateway.upstream,
    turn: () => launch.acpAgent?.onlyTurn ?? null,
    refuse: () => (launch.stopping ? 'The launch is being ended.' : undefined),
  })
}
