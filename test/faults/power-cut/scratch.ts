/**
 * Folders for disks that exist only for a test: in memory where the system has such a place,
 * because they are many.
 */
import { accessSync, constants, readdirSync, readFileSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import type { DiskImage } from './disk.ts'

export async function scratchFolder(): Promise<{ folder: string; remove: () => Promise<void> }> {
  const folder = await realpath(await mkdtemp(join(memoryFolder(), 'holdfast-disk-')))
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) }
}

function memoryFolder(): string {
  try {
    accessSync('/dev/shm', constants.W_OK)
    return '/dev/shm'
  } catch {
    return tmpdir()
  }
}

export async function writeImage(folder: string, image: DiskImage): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(folder, { recursive: true })
  for (const [path, bytes] of image) {
    const file = join(folder, path)
    if (path.includes('/')) await mkdir(dirname(file), { recursive: true })
    await writeFile(file, bytes)
  }
}

/**
 * What really lies in a folder, to hold the played log against. SQLite's -shm is no part of it:
 * nothing relies on it.
 */
export function readFolder(folder: string): DiskImage {
  const image = new Map<string, Buffer>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || entry.name.endsWith('-shm')) continue
    const path = join(entry.parentPath, entry.name)
    image.set(path.slice(folder.length + 1), readFileSync(path))
  }
  return image
}
