/**
 * Runs once before the tests: on Linux they want bubblewrap, without which only the refusal to
 * start a sandboxed agent is tested. What is still missing is said; on a build machine (CI) it is a
 * failure.
 */
import { probeSandbox } from '../../src/platform/processes/sandbox-probe.ts'
import { installPackages } from './install-packages.ts'

export async function setup(): Promise<void> {
  if (process.platform !== 'linux') return
  const found = await probeSandbox(process.env)
  if (found.works) return
  const why =
    found.version === null
      ? await installPackages('the tests of sandboxes', ['bubblewrap'])
      : found.problem
  const { works, problem } = await probeSandbox(process.env)
  if (works) return
  const missing = `Sandboxes are not tested on this machine: ${why ?? problem}`
  if (process.env['CI']) throw new Error(missing)
  process.stderr.write(`${missing}\n`)
}
