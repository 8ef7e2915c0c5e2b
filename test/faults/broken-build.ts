/**
 * The product broken on purpose: the control of a fault test, which its oracle must catch. The
 * product itself holds no code for this; a build is a folder that says what is changed, and
 * build.ts bundles from it what is started.
 */
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { productFolder } from './build.ts'
import { type Change, changed, changesFile } from './changes.ts'

export interface BuildCopy {
  readonly folder: string
  remove(): Promise<void>
}

export async function changedBuild(changes: readonly Change[]): Promise<BuildCopy> {
  for (const [file, wanted] of Map.groupBy(changes, (change) => change.file)) {
    changed(await readFile(join(productFolder, 'src', file), 'utf8'), wanted)
  }
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-build-'))
  await cp(join(productFolder, 'package.json'), join(folder, 'package.json'))
  await writeFile(join(folder, changesFile), JSON.stringify(changes))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}
