/**
 * The product as it is started by a fault test: this clone, or one that is broken on purpose
 * (broken-build.ts), which is a folder that says what is changed. Everything of the product that a
 * test runs comes through here, so that both run the same test.
 *
 * A test starts or loads pieces: a program of its own together with what it needs of the product,
 * bundled when it is first asked for. Hundreds of processes are started, and one that reads a
 * single file is there with a third of the processor time.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import {
  type Bundle,
  type BundleOptions,
  bundleInto,
  bundleThread,
} from '../../scripts/build/bundle.ts'
import type { Store } from '../../src/store/store.ts'
import { atTheEnd } from '../support/at-the-end.ts'
import { main } from '../support/built-product.ts'
import { type Change, changed, changesOf } from './changes.ts'
import type { UseCases } from './pieces/use-cases.ts'
import type { Place } from './place.ts'

/** Stands for the build that is not broken. */
export const productFolder = fileURLToPath(new URL('../../', import.meta.url))

/** What may be kept from one run to the next. */
export const cacheFolder = join(productFolder, 'node_modules', '.cache', 'holdfast-faults')

const pieces = {
  main: new URL('../../src/main.ts', import.meta.url),
  coordinator: new URL('./processes/coordinator.ts', import.meta.url),
  'store-under-load': new URL('./processes/store-under-load.ts', import.meta.url),
  'file-states': new URL('./processes/file-states.ts', import.meta.url),
  'files-under-load': new URL('./processes/files-under-load.ts', import.meta.url),
  'cut-over-and-die': new URL('./processes/cut-over-and-die.ts', import.meta.url),
  'migrate-and-die': new URL('./processes/migrate-and-die.ts', import.meta.url),
  writer: new URL('./processes/writer.ts', import.meta.url),
  store: new URL('./pieces/store.ts', import.meta.url),
  'use-cases': new URL('./pieces/use-cases.ts', import.meta.url),
  launches: new URL('./pieces/launches.ts', import.meta.url),
  'process-tree': new URL('./pieces/process-tree.ts', import.meta.url),
} as const

export type Piece = keyof typeof pieces

const made = new Map<string, Promise<string>>()

/** The file to start or to load. */
export function pieceOf(build: string, piece: Piece): Promise<string> {
  const itsOwn = build === productFolder ? main : join(build, 'src', 'main.ts')
  // This clone is built, and another version (version-before.ts) is started from its sources.
  if ((piece === 'main' || piece === 'coordinator') && existsSync(itsOwn))
    return Promise.resolve(itsOwn)
  const key = `${piece} ${build}`
  const found = made.get(key) ?? makePiece(build, piece)
  made.set(key, found)
  return found
}

async function makePiece(build: string, piece: Piece): Promise<string> {
  const folder = join(build === productFolder ? ownFolder() : build, piece)
  const changes = build === productFolder ? [] : changesOf(build)
  const options = { before: changing(changes), maps: false, manyCommands: piece === 'main' }
  if (piece === 'main' && changes.every(({ inThread }) => inThread))
    await putProductWithThread(folder, options)
  else await bundleInto(productFolder, folder, { [piece]: fileURLToPath(pieces[piece]) }, options)
  return join(folder, `${piece}.js`)
}

/** To bundle the whole product takes five times as long as its writer's thread. */
async function putProductWithThread(folder: string, options: BundleOptions): Promise<void> {
  const { files } = JSON.parse(
    readFileSync(join(productFolder, 'dist', 'server.json'), 'utf8'),
  ) as Bundle
  mkdirSync(folder, { recursive: true })
  for (const name of files)
    if (!name.endsWith('.map')) copyFileSync(join(dirname(main), name), join(folder, name))
  await bundleThread(
    productFolder,
    folder,
    ['writer', join(productFolder, 'src/compose/writer.ts')],
    options,
  )
}

let own: string | undefined

/** Folder of this process: another one may be making the same pieces. */
function ownFolder(): string {
  if (own) return own
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-pieces-'))
  copyFileSync(join(productFolder, 'package.json'), join(folder, 'package.json'))
  atTheEnd(() => rmSync(folder, { recursive: true, force: true }))
  own = folder
  return folder
}

function changing(changes: readonly Change[]): BundleOptions['before'] {
  const byPath = Map.groupBy(changes, ({ file }) => join(productFolder, 'src', file))
  return {
    name: 'changing',
    load: (id) => {
      const wanted = byPath.get(id)
      return wanted ? { code: changed(readFileSync(id, 'utf8'), wanted), moduleType: 'ts' } : null
    },
  }
}

/** Pieces of this clone within this process: what the test itself is made of. */
const ownPieces = {
  store: () => import('./pieces/store.ts'),
  'use-cases': () => import('./pieces/use-cases.ts'),
  launches: () => import('./pieces/launches.ts'),
  'process-tree': () => import('./pieces/process-tree.ts'),
} as const
type OwnPieces = typeof ownPieces

/** A piece to be used within this process. */
export async function loadPiece<Name extends keyof OwnPieces>(
  build: string,
  piece: Name,
): Promise<Awaited<ReturnType<OwnPieces[Name]>>> {
  const load =
    build === productFolder
      ? ownPieces[piece]
      : async () => import(pathToFileURL(await pieceOf(build, piece)).href)
  return load() as Promise<Awaited<ReturnType<OwnPieces[Name]>>>
}

export async function openStoreOf(build: string, place: Place): Promise<Store> {
  const { openStore } = await loadPiece(build, 'store')
  return openStore(place, pathToFileURL(await pieceOf(build, 'writer')))
}

/** The build's own use cases, as many as the load needs. */
export async function useCasesOf(build: string): Promise<UseCases> {
  return (await loadPiece(build, 'use-cases')).useCases
}
