/**
 * The program as `npm start` runs it: the bundle, which starts with half the processor time of the
 * sources. Runs once before the tests, so that they never meet a bundle older than the sources;
 * that both forms do the same is a test of its own (HS12).
 */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export const main = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))

const bootstrap = fileURLToPath(new URL('../../scripts/bootstrap.cjs', import.meta.url))

export function setup(): void {
  execFileSync(process.execPath, [bootstrap], { stdio: 'inherit' })
}
