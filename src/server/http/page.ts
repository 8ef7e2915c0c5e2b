/**
 * The page's files (UI): a list made once from the build's folder, so that a path either is one of them or is nothing. No
 * path from outside ever reaches the file system (SE5); links in the folder are not followed.
 */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join, relative, sep } from 'node:path'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../../domain/errors.ts'

const maxFiles = 2000
const encodings = [
  { name: 'br', ending: '.br' },
  { name: 'gzip', ending: '.gz' },
] as const

const mediaTypes: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  json: 'application/json; charset=utf-8',
  webmanifest: 'application/manifest+json; charset=utf-8',
  svg: 'image/svg+xml',
  png: 'image/png',
  ico: 'image/x-icon',
  woff2: 'font/woff2',
  txt: 'text/plain; charset=utf-8',
  map: 'application/json; charset=utf-8',
}

interface PageFile {
  readonly body: Buffer
  readonly etag: string
}

export class Page {
  readonly #folder: string | null
  readonly #read = new Map<string, Promise<PageFile>>()
  #files: Promise<ReadonlyMap<string, string>> | undefined

  constructor(folder: string | null) {
    this.#folder = folder
  }

  async answer(path: string, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    this.#files ??= this.#list()
    const files = await this.#files
    if (files.size === 0) {
      // Asked again next time: it may be built by then.
      this.#files = undefined
      return reply.code(503).type('text/plain; charset=utf-8').send(notBuilt)
    }
    const name = path !== '/' && files.has(path) ? path : path === '/' || wantsHtml(request) ? '/index.html' : undefined
    if (name === undefined || !files.has(name)) throw new Refusal('not_found', 'There is nothing at this path')
    const accepted = String(request.headers['accept-encoding'] ?? '')
    const encoding = encodings.find((each) => files.has(name + each.ending) && accepts(accepted, each.name))
    const { body, etag } = await this.#file(files.get(name + (encoding?.ending ?? '')) ?? '')
    reply.headers({
      etag,
      vary: 'accept-encoding',
      // The build names these after their content.
      'cache-control': name.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
    })
    if (request.headers['if-none-match'] === etag) return reply.code(304).send()
    if (encoding) reply.header('content-encoding', encoding.name)
    return reply.type(mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream').send(body)
  }

  /** Path in a URL → file, of everything that lies in the folder. */
  async #list(): Promise<ReadonlyMap<string, string>> {
    if (this.#folder === null) return new Map()
    const root = this.#folder
    const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => [])
    const files = new Map<string, string>()
    for (const entry of entries) {
      if (!entry.isFile() || files.size >= maxFiles) continue
      const file = join(entry.parentPath, entry.name)
      files.set(`/${relative(root, file).split(sep).join('/')}`, file)
    }
    const index = files.get('/index.html')
    return index === undefined ? new Map() : files.set('/', index)
  }

  #file(file: string): Promise<PageFile> {
    const known = this.#read.get(file)
    if (known) return known
    const reading = readFile(file).then((body) => ({
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    }))
    this.#read.set(file, reading)
    // A file that cannot be read now may be later.
    reading.catch(() => this.#read.delete(file))
    return reading
  }
}

/** A deep link into the page, typed or reloaded: the page itself knows what to show there. */
const wantsHtml = (request: FastifyRequest): boolean => String(request.headers.accept ?? '').includes('text/html')

const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((each) => {
    const [name = '', ...rules] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !rules.some((rule) => /^q=0(?:\.0*)?$/.test(rule))
  })

const notBuilt = `Holdfast is running, but its page has not been built.

Build it with:  npm run build
Meanwhile the API answers at /api and the command line works as always.
`
