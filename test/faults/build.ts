/**
 * The product as it is started by a fault test: the real source folder, or a copy of it that is broken on purpose
 * (broken-build.ts). Everything of the product that a test runs comes through here, so that both run the same test.
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { systemClock } from '../../src/platform/clock.ts'
import type { Store, UseCase } from '../../src/store/store.ts'
import { main } from '../support/built-product.ts'
import { productUseCases } from './ledger.ts'

type OpenSqliteStore = typeof import('../../src/store/sqlite/open-sqlite-store.ts').openSqliteStore
type OpenPostgresStore = typeof import('../../src/store/postgres/open-postgres-store.ts').openPostgresStore

/** The folder that holds `src` of the build that is not broken. */
export const productFolder = fileURLToPath(new URL('../../', import.meta.url))

/** What may be kept from one run to the next: compiled code. */
export const cacheFolder = join(productFolder, 'node_modules', '.cache', 'holdfast-faults')

/** What is started of a build: its bundle where there is one, which starts sooner. */
export const entryOf = (build: string): string => (build === productFolder ? main : join(build, 'src', 'main.ts'))

export const buildVariable = 'FAULT_BENCH_BUILD'

export const databaseIn = (folder: string): string => join(folder, 'holdfast.db')

const moduleOf = <Module>(build: string, path: string): Promise<Module> =>
  import(pathToFileURL(join(build, 'src', path)).href) as Promise<Module>

/** Where a store lies: a folder with an SQLite file, or a PostgreSQL. */
export type Place = { readonly folder: string } | { readonly url: string }

export async function openStoreOf(build: string, place: Place): Promise<Store> {
  if ('url' in place) {
    const { openPostgresStore } = await moduleOf<{ openPostgresStore: OpenPostgresStore }>(
      build,
      'store/postgres/open-postgres-store.ts',
    )
    return openPostgresStore({ url: place.url })
  }
  await mkdir(place.folder, { recursive: true })
  const { openSqliteStore } = await moduleOf<{ openSqliteStore: OpenSqliteStore }>(build, 'store/sqlite/open-sqlite-store.ts')
  // The writer's thread takes a copy of the environment when it starts.
  process.env[buildVariable] = build
  const writerUrl = new URL('./processes/writer.ts', import.meta.url)
  return openSqliteStore({ file: databaseIn(place.folder), clock: systemClock, writerUrl })
}

// biome-ignore lint/suspicious/noExplicitAny: each use case has an input of its own; its name is what matches them
export type UseCases = Readonly<Record<string, UseCase<any, unknown>>>

type CreateProject = typeof import('../../src/services/create-project.ts').createProject

/** The build's own use cases, as many as the load needs, and two that write everything and then change their mind. */
export async function useCasesOf(build: string): Promise<UseCases> {
  const useCases: Record<string, UseCases[string]> = {}
  for (const name of productUseCases) {
    const found = Object.values(await moduleOf<Record<string, Partial<UseCase<unknown, unknown>>>>(build, `services/${name}.ts`))
    useCases[name] = found.find((each) => each.name === name) as UseCases[string]
  }
  const { Refusal } = await moduleOf<typeof import('../../src/domain/errors.ts')>(build, 'domain/errors.ts')
  const createProject = useCases['create-project'] as CreateProject
  const thenThrow = (name: string, error: () => Error): UseCases[string] => ({
    ...createProject,
    name,
    run: async (...given: Parameters<CreateProject['run']>) => {
      await createProject.run(...given)
      throw error()
    },
  })
  return {
    ...useCases,
    'refuse-after-writing': thenThrow('refuse-after-writing', () => new Refusal('invalid_name', 'refused on purpose')),
    'fault-after-writing': thenThrow('fault-after-writing', () => new Error('a fault on purpose')),
  }
}
