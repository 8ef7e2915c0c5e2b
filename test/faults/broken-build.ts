/**
 * A copy of the product that is broken on purpose: the control of a fault test, which its oracle must catch. The product
 * itself holds no code for this. Each change must match its place exactly once, so that a control whose source has moved on
 * fails loudly instead of passing for the wrong reason.
 */
import { cp, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { productFolder } from './build.ts'

export interface Change {
  /** Below `src`. */
  readonly file: string
  readonly find: string
  readonly replace: string
}

export interface BuildCopy {
  readonly folder: string
  remove(): Promise<void>
}

export async function changedBuild(changes: readonly Change[]): Promise<BuildCopy> {
  const folder = await mkdtemp(join(tmpdir(), 'holdfast-build-'))
  try {
    await cp(join(productFolder, 'src'), join(folder, 'src'), { recursive: true })
    await cp(join(productFolder, 'package.json'), join(folder, 'package.json'))
    await symlink(join(productFolder, 'node_modules'), join(folder, 'node_modules'))
    for (const change of changes) await apply(folder, change)
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw error
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

async function apply(folder: string, { file, find, replace }: Change): Promise<void> {
  const path = join(folder, 'src', file)
  const source = await readFile(path, 'utf8')
  const found = source.split(find).length - 1
  if (found !== 1) {
    throw new Error(`src/${file} has the text to be broken ${found} times, not once; the control must follow it:\n${find}`)
  }
  await writeFile(
    path,
    source.replace(find, () => replace),
  )
}
