/** The entry of the demo agent that pulls its work: there from the first start (UI6), and made again when somebody runs it by hand. Pure. */
import { ownProgram } from './own-program.ts'

export const demoMcp = {
  id: 'demo-mcp',
  name: 'Demo (pulls)',
  protocol: 'mcp',
  command: ownProgram,
  args: ['demo-mcp'],
} as const
