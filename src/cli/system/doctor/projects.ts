/**
 * Checks that each project has an allowed folder of its own (SE11). Reports only, changes nothing.
 */
import { realpathSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Client } from '../../../client/client.ts'
import { visible } from '../../../platform/log/visible.ts'
import type { Project } from '../../../protocol/projects/project.ts'
import { bad, type Check, good, warning } from './check.ts'

type State = NonNullable<Project['folder']>

const move = 'Move the project: holdfast projects edit ID --path DIR'
const wrong: Partial<Record<State, [detail: string, next: string]>> = {
  system: ['belongs to the system', move],
  in_data: ['lies in the data folder, with what is kept there', move],
  above_data: [
    'holds the data folder, within reach of whatever works there',
    `${move}, or start the server with --data DIR elsewhere`,
  ],
  outside_roots: [
    'is in none of the folders of projects.roots',
    `${move}, or add its folder to projects.roots`,
  ],
  missing: [
    'is missing: no agent can work in it',
    `Bring the folder back, or name another: holdfast projects edit ID --path DIR`,
  ],
  not_a_folder: ['is no folder: no agent can work in it', move],
}

/** Resolves links that exist on this machine. */
function placeOf(path: string): string {
  try {
    return realpathSync.native(path)
  } catch {
    return resolve(path)
  }
}

export async function checkProjects(client: Client): Promise<Check[]> {
  const checks: Check[] = []
  const holders = new Map<string, string>()
  let count = 0
  for await (const { id, name, path, folder } of client.pages('/api/projects')) {
    count++
    if (path === null) continue
    const title = `Project ${visible(name)}`
    const [detail, next] = (folder && wrong[folder]) ?? []
    if (detail && next) checks.push(bad(title, `${path} ${detail}`, next.replace('ID', id)))
    const place = placeOf(path)
    const other = holders.get(place)
    if (other)
      checks.push(
        warning(
          title,
          `${path} is the folder of ${other} too`,
          'Delete one of the two; their folder stays.',
        ),
      )
    else holders.set(place, visible(name))
  }
  return checks.length > 0 || count === 0
    ? checks
    : [good('Projects', `${count}, each with a folder that it may have`)]
}
