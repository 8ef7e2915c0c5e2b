/** The entries of the demo agents: there from the first start (UI6). The one that pulls is made again when somebody runs it by hand. Pure. */

/**
 * The word in an agent's entry that means this very program, wherever it is installed: so the agents that come with the product
 * can be started on every machine, and no path of one machine is in the database. Whoever starts agents resolves it. Pure.
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
