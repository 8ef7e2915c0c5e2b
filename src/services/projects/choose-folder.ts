/**
 * Checks under home's lock whether a project may have a folder (SE11; one each) and the caller may
 * choose it (SE3).
 */

import { Refusal } from '../../domain/errors.ts'
import { type FolderInspection, folderRefusal } from '../../domain/projects/folder.ts'
import { type ChosenSettings, managedSettings } from '../../domain/projects/settings.ts'
import { refusalText } from '../../domain/refusal-texts.ts'
import { selectProjectsAt } from '../../store/projects/projects.ts'
import type { Reader } from '../../store/store.ts'

/**
 * Returns the path to store. `look` is what the endpoint found there; without it the path is taken
 * as given.
 */
export async function chooseFolder(
  reader: Reader,
  wanted: string,
  look: FolderInspection | undefined,
  projectId?: string,
): Promise<string> {
  const refusal = look && folderRefusal(look)
  if (refusal) throw refusal
  const path = look?.path ?? wanted
  for (const each of [path, ...(look?.alsoKnownAs ?? [])]) {
    const taken = (await reader.all(selectProjectsAt, { path: each })).find(
      ({ id }) => id !== projectId,
    )
    if (taken) throw folderTaken(path, taken)
  }
  return path
}

interface ProjectChoices {
  readonly path: string | null
  readonly chosen: ChosenSettings
}

/** The first changed field that decides what runs where. */
export function managedChange(before: ProjectChoices, after: ProjectChoices): string | undefined {
  if (before.path !== after.path) return 'path'
  const settingOf = ({ chosen }: ProjectChoices, key: string): unknown =>
    (chosen as Record<string, unknown>)[key]
  const key = [...managedSettings].find(
    (each) => settingOf(before, each) !== settingOf(after, each),
  )
  return key && `settings.${key}`
}

const folderTaken = (path: string, { id, name }: { id: string; name: string }): Refusal =>
  new Refusal('folder_taken', refusalText('folderTaken', { path, id, name }), {
    path,
    projectId: id,
    name,
  })
