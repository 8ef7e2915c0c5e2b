/**
 * Current state of project folders on this machine (SE11); a folder missing here may exist on
 * another machine that runs agents. Which folder a project may use is decided under the lock
 * (domain/projects/folder.ts).
 */
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { homedir, hostname } from 'node:os'
import { dirname, join, parse } from 'node:path'
import { type FolderInspection, folderRefusal } from '../../domain/projects/folder.ts'
import type { FolderState } from '../../domain/projects/folder-states.ts'
import {
  type FolderRules,
  inspectFolder,
  type LocalLook,
} from '../../platform/files/folder-rules.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { listMachines } from '../../services/processes/queries.ts'
import { listProjectPaths } from '../../services/projects/queries.ts'
import type { Store } from '../../store/store.ts'
import { findRepositories } from './repositories.ts'

const maxFolders = 500

export class ProjectFolders {
  readonly #store: Store
  readonly #rules: FolderRules

  constructor(store: Store, rules: FolderRules) {
    this.#store = store
    this.#rules = rules
  }

  /** Inspects a requested folder; undefined when none is requested. */
  async look(wanted: string | null | undefined): Promise<FolderInspection | undefined> {
    if (wanted === null || wanted === undefined) return undefined
    const found = inspectFolder(this.#rules, wanted)
    const state = await this.#here(found)
    const others = await this.#store.query(listProjectPaths, {})
    const alsoKnownAs = others.filter(
      (path) => path !== found.path && inspectFolder(this.#rules, path).path === found.path,
    )
    return {
      path: found.path,
      state,
      hasGit: found.hasGit,
      alsoKnownAs,
      data: this.#rules.data,
      roots: this.#rules.roots,
    }
  }

  /**
   * The folders in a folder, hidden ones left out. Where no project may be, only the way to where
   * one may is shown.
   */
  async list(wanted: string = this.#rules.roots[0] ?? homedir()) {
    const { path, state, hasGit } = inspectFolder(this.#rules, wanted)
    const isOnTheWay = state === 'above_data' || (state === 'system' && path === parse(path).root)
    const { data, roots } = this.#rules
    const refused = isOnTheWay
      ? undefined
      : folderRefusal({ path, state, hasGit, alsoKnownAs: [], data, roots })
    if (refused) throw refused
    const entries = await readdir(path, { withFileTypes: true }).catch(() => [])
    const names = entries
      .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.'))
      .map(({ name }) => name)
    const items = names
      .toSorted((a, b) => a.localeCompare(b))
      .slice(0, maxFolders)
      .map((name) => ({
        name,
        path: join(path, name),
        hasGit: existsSync(join(path, name, '.git')),
      }))
    const above = dirname(path)
    const parent = above === path || roots.includes(path) ? null : above
    return { path, parent, hasGit, items, more: names.length > maxFolders }
  }

  /** The git repositories that somebody may begin with, the latest change first. */
  repositories(): ReturnType<typeof findRepositories> {
    return findRepositories(this.#rules)
  }

  /** Adds the state of the folder to a project for readers. */
  async shown<P extends Pick<Project, 'path'>>(project: P): Promise<P & { folder?: FolderState }> {
    if (project.path === null) return project
    return { ...project, folder: await this.#here(inspectFolder(this.#rules, project.path)) }
  }

  async #here({ state }: LocalLook): Promise<FolderState> {
    if (state !== 'missing') return state
    const machines = await this.#store.query(listMachines, {})
    return machines.some((machine) => machine !== hostname()) ? 'elsewhere' : 'missing'
  }
}
