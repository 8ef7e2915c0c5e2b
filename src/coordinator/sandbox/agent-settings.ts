/** Finds where agents keep their settings, which they may write in a sandbox. */

import { existsSync, lstatSync, mkdirSync } from 'node:fs'
import { basename, isAbsolute, join } from 'node:path'
import type { KnownAgent } from '../../protocol/agents/known-agent.ts'
import type { Mount } from './profile.ts'
import { isNarrow } from './program-folders.ts'
import type { SandboxOptions } from './sandbox.ts'

type Variables = Readonly<Record<string, string | undefined>>

const movedBy: readonly (readonly [begin: string, variable: string])[] = [
  ['.codex/', 'CODEX_HOME'],
  ['.claude/', 'CLAUDE_CONFIG_DIR'],
  ['.pi/agent/', 'PI_CODING_AGENT_DIR'],
  ['.copilot/', 'COPILOT_HOME'],
  ['.config/', 'XDG_CONFIG_HOME'],
  ['.local/share/', 'XDG_DATA_HOME'],
  ['.local/state/', 'XDG_STATE_HOME'],
  ['.cache/', 'XDG_CACHE_HOME'],
]
/** Variables by which agents are told where their settings are. */
const settingsVariables = [
  'CODEX_HOME',
  'CLAUDE_CONFIG_DIR',
  'PI_CODING_AGENT_DIR',
  'COPILOT_HOME',
  'OPENCODE_CONFIG_DIR',
]

/** Where the demo agent keeps its talks, to go on with them after a crash. */
export const ownNeeds = ({
  command,
}: SandboxOptions['isolation']): KnownAgent['sandbox'] | undefined =>
  basename(command ?? '') === 'holdfast'
    ? {
        folders: [demoTalks],
        files: [],
        own: { folders: [demoTalks], files: [], shared: [] },
        userNamespaces: false,
      }
    : undefined

const demoTalks = '.local/state/holdfast/demo-agent'

/** Where an agent has what is in home by this name. */
export const placeIn =
  (variables: Variables, home: string) =>
  (name: string): string => {
    const moved = movedBy.find(
      ([start, variable]) => `${name}/`.startsWith(start) && isAbsolute(variables[variable] ?? ''),
    )
    return moved ? join(variables[moved[1]] ?? '', name.slice(moved[0].length)) : join(home, name)
  }

export function settingsOf(
  needs: KnownAgent['sandbox'] | undefined,
  variables: Variables,
  home: string,
): Mount[] {
  const placeOf = placeIn(variables, home)
  const named = settingsVariables
    .flatMap((name) => variables[name] ?? [])
    .filter((path) => isAbsolute(path) && isNarrow(path, [home]))
  const folders = needs ? [...needs.folders.map(placeOf), ...named] : []
  for (const path of folders) mkdirSync(path, { recursive: true, mode: 0o700 })
  const files = (needs?.files ?? [])
    .map(placeOf)
    .filter((path) => existsSync(path) && lstatSync(path).isFile())
  return [...folders, ...files].map((path) => ({ kind: 'write', from: path, to: path }))
}
