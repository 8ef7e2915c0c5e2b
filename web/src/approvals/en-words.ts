/** The words of what an agent asks leave for, in English. `{}`: the file, host or command. */
import type { Wanted } from '../../../src/protocol/approvals/wanted.ts'

type Forms = Readonly<Record<Wanted['what'], string>>

export const asking = {
  /** Above what is asked. */
  heads: {
    run: 'Run this command?',
    edit: 'Edit {}?',
    create: 'Create {}?',
    delete: 'Delete {}?',
    move: 'Move {}?',
    read: 'Read {}?',
    search: 'Search for {}?',
    fetch: 'Fetch {}?',
    host: 'Reach {}?',
    folder: 'Read outside its workplace?',
    plan: 'Carry out this plan?',
    other: 'May it: {}?',
  } as Forms,
  /** In a line, of what waits or was decided. */
  lines: {
    run: 'Run {}',
    edit: 'Edit {}',
    create: 'Create {}',
    delete: 'Delete {}',
    move: 'Move {}',
    read: 'Read {}',
    search: 'Search for {}',
    fetch: 'Fetch {}',
    host: 'Reach {}',
    folder: 'Read {}',
    plan: 'Carry out its plan',
    other: '{}',
  } as Forms,
  more: (count: number) => (count === 1 ? ' and 1 more file' : ` and ${count} more files`),
  quoted: (text: string) => `“${text}”`,
  by: (subAgent: string) => `Sub-agent “${subAgent}”`,
  bySome: 'A sub-agent',
  cautions: {
    secrets: 'The name looks like a file with secrets.',
    deletes: 'What it deletes is gone.',
  },
  allowHosts: (hosts: string) => `Allow ${hosts} and retry`,
  outcomes: {
    allowed: 'Approved',
    denied: 'Rejected',
    expired: 'Expired',
    withdrawn: 'Withdrawn',
  },
  expired: 'nobody answered in time',
  withdrawn: 'no longer asked',
}
