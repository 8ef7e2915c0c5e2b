/**
 * Finds the real agents on this machine, or installs them into a folder; and how one is started
 * with a home of its own.
 */
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'
import type { LaunchParticulars } from '../../src/protocol/processes/link.ts'
import { type Recipe, recipes } from './recipes.ts'

export interface InstalledAgent {
  readonly name: string
  readonly recipe: Recipe
  readonly program: string
}

/** Where `npm run test:agents -- --folder DIR` says they are. */
const agentsFolder = process.env['REAL_AGENTS_FOLDER'] || undefined

/** Those that `--only` names; all without it. */
const only = process.env['REAL_AGENTS_ONLY']?.split(',')

export const allAgents = () =>
  Object.entries(recipes)
    .filter(([name]) => only?.includes(name) ?? true)
    .map(([name, recipe]) => ({ name, recipe, program: findProgram(name, recipe, agentsFolder) }))

export const installedAgents = (): InstalledAgent[] =>
  allAgents().flatMap(({ program, ...rest }) => (program ? [{ ...rest, program }] : []))

/** In the folder they were installed into, else on the PATH; undefined when it is in neither. */
export function findProgram(
  name: string,
  { program }: Recipe,
  folder: string | undefined,
): string | undefined {
  const places = [
    ...(folder ? [binFolder(folder, name)] : []),
    ...(process.env['PATH'] ?? '').split(delimiter),
  ]
  return places.map((place) => join(place, program)).find((path) => existsSync(path))
}

export function install(name: string, { packages }: Recipe, folder: string): void {
  const place = join(folder, name)
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), '{"private":true}')
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error', ...packages]
  // npm picks an older release in silence when the newest wants a newer Node than npm runs on, so
  // ours comes first.
  const { status, stderr } = spawnSync('npm', args, {
    cwd: place,
    env: { ...process.env, PATH: pathWith() },
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`${packages.join(' ')} could not be installed: ${stderr}`)
}

/**
 * The agent's entry as an owner would make it, with its own home folder; the model is the only
 * address it reaches.
 */
export function entryOf(
  program: string,
  { args, env, files, node }: Recipe,
  home: string,
  modelUrl: string,
): Pick<LaunchParticulars, 'command' | 'args' | 'env' | 'protocol'> {
  const fill = (text: string): string => text.replaceAll('MODEL', modelUrl).replaceAll('HOME', home)
  for (const [file, content] of Object.entries(files)) {
    mkdirSync(dirname(join(home, file)), { recursive: true })
    writeFileSync(
      join(home, file),
      fill(typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
    )
  }
  const proxy = { HTTP_PROXY: modelUrl, HTTPS_PROXY: modelUrl, NO_PROXY: '127.0.0.1,localhost' }
  return {
    protocol: 'acp',
    command: program,
    args: [...args],
    env: {
      PATH: node === 'ours' ? pathWith(dirname(program)) : theirPath(dirname(program)),
      HOME: home,
      SHELL: '/bin/sh',
      XDG_CONFIG_HOME: join(home, '.config'),
      XDG_DATA_HOME: join(home, '.local/share'),
      XDG_STATE_HOME: join(home, '.local/state'),
      XDG_CACHE_HOME: join(home, '.cache'),
      ...proxy,
      ...Object.fromEntries(
        Object.entries(proxy).map(([key, value]) => [key.toLowerCase(), value]),
      ),
      ...Object.fromEntries(Object.entries(env).map(([key, value]) => [key, fill(value)])),
    },
  }
}

const binFolder = (folder: string, name: string): string =>
  join(folder, name, 'node_modules', '.bin')
const pathWith = (...first: string[]): string =>
  [...first, dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter)

/** Without this package's own Node in front: some run on the Node of the machine only. */
function theirPath(first: string): string {
  const isOurs = (place: string): boolean =>
    place.includes('node_modules') || place === dirname(process.execPath)
  return [
    first,
    ...(process.env['PATH'] ?? '').split(delimiter).filter((place) => !isOurs(place)),
  ].join(delimiter)
}
