/**
 * The entries of the demo agents, present from the first start (UI6). The pulling one is recreated
 * when run by hand. Pure.
 */

/**
 * The command in an agent's entry that stands for this program, so that built-in agents run
 * wherever it is installed.
 */
export const ownProgram = 'holdfast'

export const demoMcp = {
  id: 'demo-mcp',
  name: 'Demo (pulls)',
  protocol: 'mcp',
  command: ownProgram,
  args: ['demo-mcp'],
} as const

export const demoAcp = {
  id: 'demo',
  name: 'Demo',
  protocol: 'acp',
  command: ownProgram,
  args: ['demo-acp'],
} as const
