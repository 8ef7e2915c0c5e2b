/**
 * The folders of projects as they are now (SE11): looked at on this machine; what is missing here may be on another one that runs
 * agents. Finds and tells; what may be had is decided behind the lock (domain/projects/folder.ts).
 */
import { hostname } from 'node:os'
import type { FolderLook } from '../../domain/projects/folder.ts'
import type { FolderState } from '../../domain/projects/folder-states.ts'
import { type FolderRules, type LocalLook, lookAtFolder } from '../../platform/folder-rules.ts'
import type { Project } from '../../protocol/projects/project.ts'
import { listMachines } from '../../services/processes/queries.ts'
import { listProjectPaths } from '../../services/projects/queries.ts'
import type { Store } from '../../store/store.ts'

export class ProjectFolders {
  readonly #store: Store
  readonly #rules: FolderRules

  constructor(store: Store, rules: FolderRules) {
    this.#store = store
    this.#rules = rules
  }

  /** For who wants it; undefined when nothing is wanted. */
  async look(wanted: string | null | undefined): Promise<FolderLook | undefined> {
    if (wanted === null || wanted === undefined) return undefined
    const found = lookAtFolder(this.#rules, wanted)
    const state = await this.#here(found)
    const others = await this.#store.query(listProjectPaths, {})
    const alsoKnownAs = others.filter((path) => path !== found.path && lookAtFolder(this.#rules, path).path === found.path)
    return { path: found.path, state, hasGit: found.hasGit, alsoKnownAs, data: this.#rules.data, roots: this.#rules.roots }
  }

  /** For readers. */
  async shown<P extends Pick<Project, 'path'>>(project: P): Promise<P & { folder?: FolderState }> {
    if (project.path === null) return project
    return { ...project, folder: await this.#here(lookAtFolder(this.#rules, project.path)) }
  }

  async #here({ state }: LocalLook): Promise<FolderState> {
    if (state !== 'missing') return state
    const machines = await this.#store.query(listMachines, {})
    return machines.some((machine) => machine !== hostname()) ? 'elsewhere' : 'missing'
  }
}
