/** The entries of the demo agents: there from the first start (UI6). The one that pulls is made again when somebody runs it by hand. Pure. */
import { ownProgram } from './own-program.ts'

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
