/** Ids of tasks: `task_p{phase}_{type}_{seq}`, counted by project, phase and type (ID1). Pure. */
const maxType = 40
/** For types without Latin letters or digits. */
const typeless = 'task'

/** The prefix of all ids of a phase and type; a number of at least three digits follows. */
export const taskIdBeginning = (phase: number, type: string): string => `task_p${phase}_${typeInId(type)}_`

/** `task_p1_code_001` */
export const taskId = (phase: number, type: string, seq: number): string =>
  `${taskIdBeginning(phase, type)}${String(seq).padStart(3, '0')}`

/** The first unused number; ids of other phases and types do not count. */
export function nextSeq(phase: number, type: string, taken: Iterable<string>): number {
  const start = taskIdBeginning(phase, type)
  let highest = 0
  for (const id of taken) {
    const ending = id.startsWith(start) ? id.slice(start.length) : ''
    if (/^\d{3,15}$/.test(ending)) highest = Math.max(highest, Number(ending))
  }
  return highest + 1
}

/** Whether a task can have this id. */
export const isTaskId = (text: string): boolean => /^task_p\d{1,7}_[a-z0-9_]{1,40}_\d{3,15}$/.test(text)

/** Ids are used in URLs and file names; types are free text. */
function typeInId(type: string): string {
  const plain = type
    .normalize('NFKD')
    .toLowerCase()
    .replaceAll(/\p{Mark}/gu, '')
    .replaceAll(/[^a-z0-9]+/g, '_')
    .replaceAll(/^_+/g, '')
    .slice(0, maxType)
    .replaceAll(/_+$/g, '')
  return plain || typeless
}
