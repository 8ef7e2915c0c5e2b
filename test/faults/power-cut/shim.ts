/**
 * Compiles disk-shim.c for this machine, once. Where there is no compiler and it may install one
 * (root, apt-get), it does. What is still missing is said; on a build machine (CI) it is a failure.
 */
import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile, realpath, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installPackages } from '../../support/install-packages.ts'
import { cacheFolder } from '../build.ts'

const source = fileURLToPath(new URL('./disk-shim.c', import.meta.url))

const run = promisify(execFile)

export type Shim = { readonly library: string } | { readonly missing: string }

let built: Promise<Shim> | undefined

export function buildShim(): Promise<Shim> {
  built ??= findOrCompile()
  return built
}

async function findOrCompile(): Promise<Shim> {
  if (process.platform !== 'linux') return { missing: 'it needs Linux (LD_PRELOAD)' }
  await mkdir(cacheFolder, { recursive: true })
  const name = `disk-shim-${createHash('sha256')
    .update(await readFile(source))
    .digest('hex')
    .slice(0, 16)}.so`
  const library = join(await realpath(cacheFolder), name)
  if (existsSync(library)) return { library }
  const found = await compile(library)
  if (found) return found
  const why = await installPackages('the tests of disks that fail', ['gcc', 'libc6-dev'])
  return (
    (await compile(library)) ?? {
      missing: `it needs a C compiler (cc, gcc or clang): ${why ?? 'apt-get has installed none'}`,
    }
  )
}

async function compile(library: string): Promise<Shim | undefined> {
  // Under a name of its own first: another process may be doing the same.
  const unfinished = `${library}.${process.pid}`
  for (const compiler of [process.env['CC'] ?? 'cc', 'gcc', 'clang']) {
    try {
      await run(compiler, [
        '-O1',
        '-shared',
        '-fPIC',
        '-o',
        unfinished,
        source,
        '-ldl',
        '-lpthread',
      ])
      await rename(unfinished, library)
      return { library }
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT')
        return { missing: `${compiler} failed: ${String(error)}` }
    }
  }
  return undefined
}

export interface Fault {
  /** Which calls are counted: w write, s sync, t truncate, r rename, u unlink, o create. */
  readonly calls: string
  /** The first one it happens to, from 1. */
  readonly from: number
  readonly how: 'eio' | 'enospc' | 'short' | 'lie' | 'kill'
  /** To how many in a row; 0: to all from then on. */
  readonly times: number
  /** Counting begins with the report that holds this text. */
  readonly armedBy?: string
  /** The report that holds this text is the last thing the process does. */
  readonly killBy?: string
}

export const shimEnvironment = (
  library: string,
  folder: string,
  log: string,
  fault?: Fault,
): Record<string, string> => ({
  LD_PRELOAD: library,
  // Otherwise Node's file operations may reach the kernel past the C library.
  UV_USE_IO_URING: '0',
  DISK_FOLDER: folder,
  DISK_LOG: log,
  DISK_REPORTS: '3',
  ...(fault && { DISK_FAULT: `${fault.calls}:${fault.from}:${fault.how}:${fault.times}` }),
  ...(fault?.armedBy && { DISK_ARMED_BY: fault.armedBy }),
  ...(fault?.killBy && { DISK_KILL_BY: fault.killBy }),
})
