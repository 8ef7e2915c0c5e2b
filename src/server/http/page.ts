/**
 * Files of the web page (UI). The list is read once from the build folder and a path must be in it,
 * so no path from outside reaches the file system (SE5). Links in the folder are not followed.
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import type { IncomingHttpHeaders } from 'node:http'
import { join, relative, sep } from 'node:path'

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

interface PageAnswer {
  readonly status: 200 | 304 | 503
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/**
 * Whether a path belongs to the API; an unknown one there needs a credential and gets `not_found`.
 */
export const isReserved = (path: string): boolean =>
  /^\/(?:api|ws|mcp|metrics|healthz|readyz)(?:\/|$)/i.test(path)

export class Page {
  readonly #folder: string | null
  readonly #read = new Map<string, PageFile>()
  #files: ReadonlyMap<string, string> = new Map()

  constructor(folder: string | null) {
    this.#folder = folder
  }

  /**
   * Returns the file at a path, or undefined. Read synchronously once: the first file is part of
   * the start time (SP1).
   */
  answer(path: string, headers: IncomingHttpHeaders): PageAnswer | undefined {
    // The page may have been built since.
    if (this.#files.size === 0) this.#files = this.#list()
    const files = this.#files
    if (files.size === 0)
      return {
        status: 503,
        headers: { 'content-type': 'text/plain; charset=utf-8' },
        body: Buffer.from(notBuilt),
      }
    const page = path === '/' || wantsHtml(headers) ? '/index.html' : ''
    const name = path !== '/' && files.has(path) ? path : page
    if (!files.has(name)) return undefined
    const accepted = String(headers['accept-encoding'] ?? '')
    const encoding = encodings.find(
      (each) => files.has(name + each.ending) && accepts(accepted, each.name),
    )
    const { body, etag } = this.#file(files.get(name + (encoding?.ending ?? '')) ?? '')
    const about = {
      etag,
      vary: 'accept-encoding',
      // File names under /assets contain a hash of their content.
      'cache-control': name.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : 'no-cache',
    }
    if (headers['if-none-match'] === etag)
      return { status: 304, headers: about, body: Buffer.alloc(0) }
    const type = mediaTypes[name.slice(name.lastIndexOf('.') + 1)] ?? 'application/octet-stream'
    return {
      status: 200,
      headers: {
        ...about,
        'content-type': type,
        ...(encoding ? { 'content-encoding': encoding.name } : {}),
      },
      body,
    }
  }

  /** Maps URL paths to files of the folder. */
  #list(): ReadonlyMap<string, string> {
    const root = this.#folder
    if (root === null || !existsSync(root)) return new Map()
    const files = new Map<string, string>()
    for (const entry of readdirSync(root, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile() || files.size >= maxFiles) continue
      const file = join(entry.parentPath, entry.name)
      files.set(`/${relative(root, file).split(sep).join('/')}`, file)
    }
    const index = files.get('/index.html')
    return index === undefined ? new Map() : files.set('/', index)
  }

  #file(file: string): PageFile {
    const cached = this.#read.get(file)
    if (cached) return cached
    const body = readFileSync(file)
    const read = {
      body,
      etag: `"${createHash('sha256').update(body).digest('base64url').slice(0, 27)}"`,
    }
    this.#read.set(file, read)
    return read
  }
}

/** Whether a browser asks for a page; deep links get index.html. */
const wantsHtml = ({ accept }: IncomingHttpHeaders): boolean =>
  String(accept ?? '').includes('text/html')

const accepts = (header: string, encoding: string): boolean =>
  header.split(',').some((each) => {
    const [name = '', ...rules] = each.split(';').map((part) => part.trim().toLowerCase())
    return name === encoding && !rules.some((rule) => /^q=0(?:\.0*)?$/.test(rule))
  })

const notBuilt = `Holdfast is running, but its page has not been built.

Build it with:  npm run build
Meanwhile the API answers at /api and the command line works as always.
`
