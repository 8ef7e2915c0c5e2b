/** How to start an agent that is a shell script, as the server would say it. */
import type { LaunchParticulars } from '../../src/protocol/processes/link.ts'

let launches = 0

export const particularsOf = (changes: Partial<LaunchParticulars>): LaunchParticulars => ({
  type: 'coordinator:launch',
  launchId: `launch-${process.pid}-${++launches}`,
  agentId: 'helper',
  projectId: 'p1',
  protocol: 'mcp',
  command: '/bin/sh',
  args: [],
  env: {},
  secrets: { environment: {}, files: {} },
  folder: null,
  launchToken: `hf_launch_${'x'.repeat(43)}`,
  acp: null,
  ...changes,
})

/** An agent that is a shell script. */
export const script = (text: string): Pick<LaunchParticulars, 'command' | 'args'> => ({
  command: '/bin/sh',
  args: ['-c', text],
})
