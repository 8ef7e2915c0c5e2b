/**
 * A repository as a sandbox has it (SB6). What the agent writes of git lies in a folder of ours:
 * its new objects, whose alternate is the real object folder, read-only; its branch; its index and
 * HEAD. The real git folder is never writable inside, and git outside never reads what the agent
 * writes. `sync` takes over what is new: a pack made inside, checked by `index-pack --strict`
 * outside; then the branch moves if it is still where it was, and the index follows.
 */

import { hash, randomUUID } from 'node:crypto'
import {
  closeSync,
  constants,
  existsSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { rm } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { commitOf, headOf, objectId } from '../../platform/files/git-refs.ts'
import { bytesOf, textOf } from '../../platform/files/plain-file.ts'
import { parsedJson } from '../../platform/json.ts'
import { type Detail, statusNotice } from '../../protocol/status-texts.ts'
import { type Git, GitFailure } from '../worktrees/git.ts'
import { lstatIn } from '../worktrees/look.ts'
import { moveHead } from '../worktrees/move-head.ts'
import { openRepository, Repository } from '../worktrees/repository.ts'
import { isPlainIndex, withoutHiding } from '../worktrees/staged-entries.ts'
import { type Mount, readable } from './profile.ts'
import { alternatesOf, objectIdIn, replaceFile, requireOwnObjects } from './repository-objects.ts'

const realObjects = '/run/holdfast/objects'
const maxPackBytes = 4 * 1024 ** 3
const maxIndexBytes = 512 * 1024 ** 2
const maxStateBytes = 64 * 1024
const packMs = 120_000

/** What outside and inside were last brought to. */
interface Synced {
  readonly top: string
  readonly own: string
  readonly ref: string
  readonly tip: string
  readonly index: string
}

export interface PrivateRepositoryOptions {
  readonly git: Git
  /** The agent's folder; its repository is found from here. */
  readonly folder: string
  readonly root: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The folders that it sees besides. */
  readonly shown: readonly string[]
  readonly note: (text: string) => void
}

/**
 * Runs a command of git in a sandbox with these mounts and no network; its output goes to the
 * descriptor.
 */
export type RunInside = (
  mounts: readonly Mount[],
  folder: string,
  args: readonly string[],
  stdio: [Buffer, number],
) => Promise<number>

export class PrivateRepository {
  readonly top: string
  readonly mounts: readonly Mount[]
  readonly #repository: Repository
  readonly #options: PrivateRepositoryOptions
  readonly #folder: string
  /** The branch, or HEAD when none is checked out. */
  readonly #ref: string
  #synced: Synced

  /**
   * Undefined for a folder without a repository of its own. `run` is needed for what an earlier
   * process has left.
   */
  static async open(
    options: PrivateRepositoryOptions,
    run: RunInside,
  ): Promise<PrivateRepository | undefined> {
    const repository = await openRepository(options.git, options.folder)
    if (!(repository instanceof Repository)) return undefined
    requireOwnObjects(repository.facts, options.shown)
    const found = new PrivateRepository(options, repository)
    // What an earlier process has left, if its coordinator was killed.
    if (found.#hasNews()) await found.sync(run).catch((error: unknown) => found.#setAside(error))
    await found.#prepare()
    return found
  }

  private constructor(options: PrivateRepositoryOptions, repository: Repository) {
    const { top, gitFolder: own, commonFolder: common, branch, head } = repository.facts
    this.top = top
    this.#options = options
    this.#repository = repository
    this.#folder = privateFolder(options.root, top)
    this.#ref = branch === null ? 'HEAD' : `refs/heads/${branch}`
    this.#synced = { top, own, ref: this.#ref, tip: head, index: '' }
    const isCheckout = own === common
    const within = (name: string): string => join(this.#folder, name)
    // Never by a link: what lies in a checkout may have been written by an agent before there was a
    // commit.
    const isPlain = (path: string): boolean => existsSync(path) && realpathSync(path) === path
    const read = (...paths: string[]): Mount[] => paths.filter(isPlain).map(readable)
    // Where other worktrees are, and what they have staged, is hidden.
    const hidden: Mount = { kind: 'empty', to: join(common, 'worktrees') }
    this.mounts = [
      ...(isCheckout
        ? read(
            ...['config', 'hooks', 'info', 'description', 'modules', 'shallow'].map((name) =>
              join(own, name),
            ),
          )
        : [...read(common), hidden, ...read(join(top, '.git'))]),
      { kind: 'write', from: within('own'), to: own },
      { kind: 'write', from: within('refs'), to: join(common, this.#branchFolder) },
      { kind: 'write', from: within('logs'), to: join(common, 'logs', this.#branchFolder) },
      { kind: 'write', from: within('objects'), to: join(common, 'objects') },
      { kind: 'read', from: join(common, 'objects'), to: realObjects },
    ]
  }

  get #stateFile(): string {
    return join(this.#folder, 'synced.json')
  }

  /** Refs are renamed into place, so what can be given is a folder. */
  get #branchFolder(): string {
    return dirname(this.#ref === 'HEAD' ? 'refs/heads/holdfast/none' : this.#ref)
  }

  /**
   * The file of its branch inside. Each file read or written there lies directly in a mount: no
   * folder between can be a link.
   */
  get #insideRef(): string {
    return join(this.#folder, this.#ref === 'HEAD' ? 'own/HEAD' : join('refs', basename(this.#ref)))
  }

  /**
   * Made anew for each process. Only the git folder of a worktree stays, where a rebase may be
   * under way.
   */
  async #prepare(): Promise<void> {
    const { gitFolder: own, commonFolder: common, head } = this.#repository.facts
    const isCheckout = own === common
    const within = (name: string): string => join(this.#folder, name)
    const stays =
      !isCheckout && this.#read()?.ref === this.#ref ? ['objects', 'refs', 'logs'] : ['']
    this.#putAway(stays)
    for (const name of ['own', 'objects/info', 'objects/pack', 'refs', 'logs'])
      mkdirSync(within(name), { recursive: true, mode: 0o700 })
    writeFileSync(
      within('objects/info/alternates'),
      [realObjects, ...alternatesOf(common), ''].join('\n'),
    )
    if (!existsSync(within('own/HEAD')))
      replaceFile(
        within('own/HEAD'),
        Buffer.from(this.#ref === 'HEAD' ? `${head}\n` : `ref: ${this.#ref}\n`),
      )
    // A mount needs something to be mounted on.
    const places = [this.#branchFolder, join('logs', this.#branchFolder)]
    if (isCheckout) {
      for (const { to, kind } of this.mounts) {
        if (dirname(to) !== own) continue
        if (kind === 'read' && lstatSync(to).isFile())
          writeFileSync(within(join('own', basename(to))), '')
        else mkdirSync(within(join('own', basename(to))), { recursive: true })
      }
      for (const place of [...places, 'refs/tags'])
        mkdirSync(within(join('own', place)), { recursive: true })
    } else {
      for (const name of ['commondir', 'gitdir'])
        replaceFile(
          within(join('own', name)),
          bytesOf(join(own, name), maxStateBytes) ?? Buffer.of(),
        )
      for (const place of [...places, 'worktrees'])
        mkdirSync(join(common, place), { recursive: true })
    }
    await this.#copyIn(head)
    this.#options.git.guard(
      this.top,
      isCheckout ? null : textOf(join(this.top, '.git'), maxStateBytes),
    )
  }

  /**
   * What cannot be taken over holds up no start. It is left for a person, unless all of it is
   * outside by now.
   */
  #setAside(error: unknown): void {
    if (!(error instanceof GitFailure) || error.code === 'missing') throw error
    const place = `${this.#folder}.left-${this.#options.git.now()}`
    const isLeft = this.#hasNews()
    if (isLeft) renameSync(this.#folder, place)
    this.#options.note(
      isLeft ? `${error.message} What it had in its repository is in ${place}` : error.message,
    )
  }

  /** Nobody waits for the removal. What a killed coordinator left of it goes the next time. */
  #putAway(names: readonly string[]): void {
    const [all] = names
    const old =
      all === '' ? `${this.#folder}.old-${randomUUID()}` : join(this.#folder, `old-${randomUUID()}`)
    if (all === '' && existsSync(this.#folder)) renameSync(this.#folder, old)
    mkdirSync(all === '' ? this.#folder : old, { recursive: true, mode: 0o700 })
    for (const name of names)
      if (name !== '' && existsSync(join(this.#folder, name)))
        renameSync(join(this.#folder, name), join(old, name))
    const parent = dirname(old)
    const begin = all === '' ? `${basename(this.#folder)}.old-` : 'old-'
    for (const name of readdirSync(parent).filter((each) => each.startsWith(begin)))
      void rm(join(parent, name), { recursive: true, force: true }).catch(() => {})
  }

  /** Brings what is outside to the inside: the branch, the other refs of a checkout, the index. */
  async #copyIn(tip: string): Promise<void> {
    const { gitFolder: own, commonFolder: common } = this.#repository.facts
    if (this.#ref !== 'HEAD') replaceFile(this.#insideRef, Buffer.from(`${tip}\n`))
    if (own === common) {
      const refs = await this.#repository.run(['for-each-ref', '--format=%(objectname) %(refname)'])
      replaceFile(
        join(this.#folder, 'own/packed-refs'),
        Buffer.from(`# pack-refs with: sorted\n${refs}`),
      )
    }
    const index = bytesOf(join(own, 'index'), maxIndexBytes)
    if (index) replaceFile(join(this.#folder, 'own/index'), index)
    this.#remember(tip, index)
  }

  close(): void {
    this.#options.git.guard(this.top, undefined)
  }

  #remember(tip: string, index: Buffer | undefined): void {
    this.#synced = { ...this.#synced, tip, index: index ? digestOf(index) : '' }
    replaceFile(this.#stateFile, Buffer.from(JSON.stringify(this.#synced)))
  }

  #read(): Synced | undefined {
    return parsedJson(bytesOf(this.#stateFile, maxStateBytes)?.toString() ?? '') as
      | Synced
      | undefined
  }

  /** Takes over what is new on either side. Throws GitFailure with the reason when it cannot be. */
  sync(run: RunInside): Promise<void> {
    return this.#options.git.serialize(`sandbox ${this.top}`, () => this.#sync(run))
  }

  /** Where its branch is outside, or HEAD. */
  #outside(): string {
    const { gitFolder: own, commonFolder: common } = this.#repository.facts
    const tip = this.#ref === 'HEAD' ? headOf(own, common)?.commit : commitOf(common, this.#ref)
    if (tip === undefined) throw new GitFailure(-1, statusNotice('noCommit', { folder: this.top }))
    return tip
  }

  async #sync(run: RunInside): Promise<void> {
    const { gitFolder: own } = this.#repository.facts
    const before = this.#read()
    if (!before || before.ref !== this.#ref || before.own !== own) return
    const outside = this.#outside()
    const inside = objectIdIn(this.#insideRef) ?? before.tip
    const inIndex = bytesOf(join(this.#folder, 'own/index'), maxIndexBytes)
    const staged = inIndex && this.#withoutHiding(inIndex, before.tip.length / 2)
    const isNew = staged !== undefined && digestOf(staged) !== before.index && this.#isOnBranch()
    const isStaged = isNew && isPlainIndex(staged, before.tip.length / 2)
    const outsideIndex = bytesOf(join(own, 'index'), maxIndexBytes)
    const outsideMoved =
      outside !== before.tip ||
      digestOf(outsideIndex ?? Buffer.of()) !== (before.index || digestOf(Buffer.of()))
    const detached = this.#ref === 'HEAD' ? undefined : objectIdIn(join(this.#folder, 'own/HEAD'))
    const troubles: Detail[] = isStaged === isNew ? [] : [statusNotice('stagedRefused')]
    if (inside !== before.tip || isStaged || detached) {
      await this.#takeObjects(run, [inside, ...(detached ? [detached] : [])], before.tip)
      if (inside !== before.tip)
        troubles.push(...(await this.#moveBranch(inside, before.tip, outside)))
      if (isStaged && !outsideMoved) {
        replaceFile(join(own, 'index'), staged)
        // Inside and outside stay the same.
        if (staged !== inIndex) replaceFile(join(this.#folder, 'own/index'), staged)
      }
      if (!outsideMoved && isStaged === isNew)
        return this.#remember(inside, isStaged ? staged : outsideIndex)
    }
    if (outsideMoved || isStaged !== isNew) await this.#copyIn(this.#outside())
    for (const trouble of troubles) throw new GitFailure(-1, trouble)
  }

  /** Without git, because every start asks. */
  #hasNews(): boolean {
    const before = this.#read()
    const index = bytesOf(join(this.#folder, 'own/index'), maxIndexBytes)
    if (!before || !index) return false
    return (
      objectIdIn(this.#insideRef) !== before.tip ||
      digestOf(index) !== before.index ||
      !this.#isOnBranch()
    )
  }

  /** Flags hide no change from those who look outside. */
  #withoutHiding(index: Buffer, idBytes: number): Buffer {
    if (!isPlainIndex(index, idBytes)) return index
    return withoutHiding(index, idBytes, (name) => lstatIn(this.#repository, name) !== undefined)
  }

  #isOnBranch(): boolean {
    const head = bytesOf(join(this.#folder, 'own/HEAD'), 4096)?.toString().trim()
    return this.#ref === 'HEAD' ? objectId.test(head ?? '') : head === `ref: ${this.#ref}`
  }

  /** The pack is made inside, where nothing of the host can be named, and checked outside. */
  async #takeObjects(run: RunInside, tips: readonly string[], base: string): Promise<void> {
    const file = join(this.#folder, 'taken.pack')
    const pack = openSync(
      file,
      constants.O_RDWR | constants.O_CREAT | constants.O_TRUNC | constants.O_NOFOLLOW,
      0o600,
    )
    try {
      const args = [
        'pack-objects',
        '--revs',
        '--local',
        '--indexed-objects',
        '--stdout',
        '-q',
        '--threads=1',
      ]
      const wanted = Buffer.from(`${tips.join('\n')}\n^${base}\n`)
      const code = await run([...this.mounts, readable(this.top)], this.top, args, [wanted, pack])
      if (code !== 0) throw new GitFailure(code, statusNotice('commitsUnreadable'))
      const input = openSync(file, 'r')
      const strict = [
        'index-pack',
        '--stdin',
        '--strict',
        '--fix-thin',
        `--max-input-size=${maxPackBytes}`,
      ]
      const checked = await this.#repository
        .try(strict, { inputFile: input, timeoutMs: packMs })
        .finally(() => closeSync(input))
      const why = checked.stderr.trim().slice(0, 500)
      if (checked.code !== 0)
        throw new GitFailure(checked.code, statusNotice('commitsDamaged', { why }))
      await this.#repository.run(['rev-list', '--objects', '--quiet', ...tips, '--not', '--all'])
    } finally {
      closeSync(pack)
      rmSync(file, { force: true })
    }
  }

  /** Answers what a person has to know. */
  async #moveBranch(tip: string, base: string, outside: string): Promise<Detail[]> {
    const reason = 'holdfast: taken over from a sandbox'
    if (outside === base) await moveHead(this.#repository, base, tip, reason)
    const isThere =
      outside === base ||
      (await this.#repository.try(['merge-base', '--is-ancestor', tip, outside])).code === 0
    if (isThere) return []
    // Both sides have moved: nothing is lost, the agent goes on with what is outside, and a person
    // decides.
    const keptBranch = `refs/heads/holdfast/kept/${tip.slice(0, 12)}`
    await this.#repository.run(['update-ref', '--no-deref', '-m', reason, keptBranch, tip])
    return [statusNotice('branchMovedByOther', { branch: keptBranch.slice(11) })]
  }
}

const privateFolder = (root: string, top: string): string =>
  join(root, hash('sha256', top).slice(0, 20))

const digestOf = (bytes: Buffer): string => hash('sha256', bytes)
