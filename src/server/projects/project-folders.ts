/**
 * Current state of project folders on this machine (SE11); a folder missing here may exist on another machine that runs agents.
 * Which folder a project may use is decided under the lock (domain/projects/folder.ts).
 */
import { hostname } from 'node:os'
import type { FolderInspection } from '../../domain/projects/folder.ts'
import type { FolderState } from '../../domain/projects/folder-states.ts'
import { type FolderRules, inspectFolder, type LocalLook } from '../../platform/folder-rules.ts'
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

  /** Inspects a requested folder; undefined when none is requested. */
  async look(wanted: string | null | undefined): Promise<FolderInspection | undefined> {
    if (wanted === null || wanted === undefined) return undefined
    const found = inspectFolder(this.#rules, wanted)
    const state = await this.#here(found)
    const others = await this.#store.query(listProjectPaths, {})
    const alsoKnownAs = others.filter((path) => path !== found.path && inspectFolder(this.#rules, path).path === found.path)
    return { path: found.path, state, hasGit: found.hasGit, alsoKnownAs, data: this.#rules.data, roots: this.#rules.roots }
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
