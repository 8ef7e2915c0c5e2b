/**
 * `holdfast demo-acp`: the built-in ACP demo agent, for Holdfast or any other ACP client such as an
 * editor.
 */
import { command } from '../command.ts'

export const demoAcp = command({
  summary: 'Be the demo agent on standard input and output, for programs that speak ACP',
  examples: [['demo-acp', 'what to enter as the command of an ACP agent, here or in an editor']],
  async run(context) {
    context.end()
    const { runDemoAcp } = await import('../../compose/run-demo-acp.ts')
    await runDemoAcp(context.terminal.env)
  },
})
