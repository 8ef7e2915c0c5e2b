/** What files-under-load.ts is told. */
export interface FilesTask {
  readonly folder: string
  readonly versions: number
}

/** Below the watched folder; made by the product itself. */
export const dataFolder = 'data'
