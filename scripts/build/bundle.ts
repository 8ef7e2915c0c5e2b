/**
 * Bundles a program of ours with all it needs into one folder. Dynamic imports stay chunks of their
 * own and are loaded when they are needed. A worker thread named as
 * `new Worker(new URL('./x.ts', import.meta.url))` becomes a file of its own beside them, with all
 * it needs inside: a thread shares no code with others, and to find and read eighty chunks takes
 * longer than one file.
 *
 * Old chunks are kept for a week: a server that still runs from the build before may yet load one.
 */
import { mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { basename, dirname, join, resolve } from 'node:path'
import { type OutputOptions, type Plugin, type RolldownOutput, rolldown } from 'rolldown'
import { grouped, refuseCycles, ungrouped } from './groups.ts'

const KEEP_OLD_CHUNKS_MS = 7 * 24 * 3600 * 1000

/** Optional parts of dependencies that are native or that we do not install. */
const external = [
  'pg-native',
  'pg-cloudflare',
  'bufferutil',
  'utf-8-validate',
  'pino-pretty',
  '@opentelemetry/api',
]

/** Puts the name and the source of each thread it meets into `found`. */
function workerEntries(found: Map<string, string>): Plugin {
  return {
    name: 'worker-entries',
    transform: {
      filter: { code: 'import.meta.url' },
      handler(code, id) {
        const rewritten = code.replace(
          /new URL\(\s*(['"])(\.[^'"]+)\.ts\1,\s*import\.meta\.url,?\s*\)/g,
          (_all, quote, path) => {
            found.set(basename(path), resolve(dirname(id), `${path}.ts`))
            return `new URL(${quote}./${basename(path)}.mjs${quote}, import.meta.url)`
          },
        )
        return rewritten === code ? null : { code: rewritten, map: null }
      },
    },
  }
}

/**
 * Node's own modules, taken with `process.getBuiltinModule`: an `import` of `node:http` would
 * evaluate every lazy property of it, which loads the whole of fetch. Those that dependencies ask
 * for at once but use rarely or never are taken at their first use.
 */
function builtins(): Plugin {
  const prefix = '\0builtin:'
  const rarelyUsed = new Set(['assert', 'dns', 'http2', 'https', 'tls'])
  return {
    name: 'builtins',
    resolveId: {
      filter: { id: new RegExp(`^(node:)?(${builtinModules.map(RegExp.escape).join('|')})$`) },
      handler: (id, importer) =>
        importer?.includes('rolldown/runtime')
          ? { id, external: true }
          : prefix + id.replace(/^node:/, ''),
    },
    load: {
      filter: { id: new RegExp(`^${prefix}`) },
      handler: (id) => {
        const name = id.slice(prefix.length)
        const taken = `process.getBuiltinModule('node:${name}')`
        const late = `new Proxy(function () {}, {
          get: (_, key) => ${taken}[key],
          has: (_, key) => key in ${taken},
          apply: (_, self, args) => Reflect.apply(${taken}, self, args),
        })`
        return { code: `module.exports = ${rarelyUsed.has(name) ? late : taken}`, moduleType: 'js' }
      },
    },
  }
}

/**
 * What Fastify loads only for programs with JSON Schemas, or that test without a port. Ours are
 * neither, and each text would lie in memory (SP11).
 */
function neverAsked(): Plugin {
  return {
    name: 'never-asked',
    resolveId: {
      filter: {
        id: /^(@fastify\/ajv-compiler|@fastify\/fast-json-stringify-compiler|light-my-request)$/,
      },
      handler: (id) => `\0never-asked:${id}`,
    },
    load: {
      filter: { id: /^\0never-asked:/ },
      handler: (id) => ({
        code: `throw new Error('${id.slice(1)} is not in this bundle')`,
        moduleType: 'js',
      }),
    },
  }
}

/**
 * V8 keeps a text whose characters all fit into one byte in half the room. Where an escape would
 * mean something else, it stays as it is.
 */
function narrow(code: string): string {
  if (/\\[^\0-\xff]|String\.raw`[^`]*[^\0-\xff]/.test(code)) return code
  return code.replaceAll(
    /[^\0-\xff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

export interface BundleOptions {
  /** Sees the sources before anything else does. */
  readonly before?: Plugin
  /** Maps to the sources beside it; they take as long as all the rest. */
  readonly maps: boolean
  /** The program has many commands, each of which needs a part of the bundle. */
  readonly manyCommands?: boolean
}

export interface Bundle {
  /** Their names in the folder, maps among them; it may hold older ones besides. */
  readonly files: readonly string[]
  /** What went into it, as paths. */
  readonly modules: readonly string[]
}

export async function bundleInto(
  root: string,
  outFolder: string,
  input: Readonly<Record<string, string>>,
  options: BundleOptions,
): Promise<Bundle> {
  const threads = new Map<string, string>()
  const program = await generate(root, input, options, threads)
  const output = [
    ...(
      await Promise.all([...threads].map((thread) => generateThread(root, thread, options)))
    ).flat(),
    ...program,
  ]

  mkdirSync(outFolder, { recursive: true })
  const written = new Set<string>()
  // The entries last: until they are there, the old ones lead to the old chunks.
  const isEntry = (file: OutputFile): boolean => file.type === 'chunk' && file.isEntry
  for (const file of [...output.filter((each) => !isEntry(each)), ...output.filter(isEntry)]) {
    put(join(outFolder, file.fileName), file.type === 'chunk' ? narrow(file.code) : file.source)
    written.add(file.fileName)
  }
  for (const name of readdirSync(outFolder)) {
    const path = join(outFolder, name)
    if (!written.has(name) && Date.now() - statSync(path).mtimeMs > KEEP_OLD_CHUNKS_MS)
      rmSync(path, { force: true })
  }
  return {
    files: [...written],
    modules: output.flatMap((file) => (file.type === 'chunk' ? file.moduleIds : [])),
  }
}

type OutputFile = RolldownOutput['output'][number]

async function generate(
  root: string,
  input: Readonly<Record<string, string>>,
  { before, maps, manyCommands }: BundleOptions,
  threads: Map<string, string>,
  more: OutputOptions = {},
): Promise<readonly OutputFile[]> {
  const bundle = await rolldown({
    cwd: root,
    input: { ...input },
    platform: 'node',
    external,
    ...(manyCommands ? { preserveEntrySignatures: 'allow-extension' } : {}),
    plugins: [before, workerEntries(threads), builtins(), neverAsked()],
    transform: { define: { 'process.env.NODE_ENV': '"production"' } },
    checks: { eval: false, circularDependency: true },
    onLog(level, log, write) {
      if (
        level === 'warn' &&
        log.code === 'CIRCULAR_DEPENDENCY' &&
        log.message.includes('node_modules')
      )
        return
      write(level, log)
    },
  })
  const { output } = await bundle.generate({
    format: 'esm',
    sourcemap: maps,
    // The text of a program stays in memory as long as it runs (SP11). Names in stack traces stay
    // as they are.
    minify: {
      compress: { keepNames: { function: true, class: true } },
      mangle: { keepNames: true },
    },
    comments: { legal: true, annotation: false, jsdoc: false },
    entryFileNames: '[name].js',
    // What a .js file is would be found out by looking for a package.json.
    chunkFileNames: '[name]-[hash].mjs',
    codeSplitting: manyCommands ? grouped : ungrouped,
    ...more,
  })
  await bundle.close()
  refuseCycles(output)
  return output
}

function generateThread(
  root: string,
  [name, source]: readonly [string, string],
  options: BundleOptions,
): Promise<readonly OutputFile[]> {
  return generate(root, { [name]: source }, options, new Map(), {
    entryFileNames: '[name].mjs',
    codeSplitting: false,
  })
}

/** One thread of a program that lies in the folder already. */
export async function bundleThread(
  root: string,
  outFolder: string,
  thread: readonly [name: string, source: string],
  options: BundleOptions,
): Promise<void> {
  for (const file of await generateThread(root, thread, options)) {
    if (file.type === 'chunk') put(join(outFolder, file.fileName), narrow(file.code))
  }
}

/** Whole or not at all: somebody may be starting a server from this folder right now. */
function put(path: string, content: string | Uint8Array): void {
  writeFileSync(`${path}.new`, content)
  renameSync(`${path}.new`, path)
}
