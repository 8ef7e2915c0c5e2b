/**
 * docs/reference/files: the JSON Schemas of the files beside the database (CK2), and the page that
 * leads to them.
 */
import * as z from 'zod'
import { ConversationFile } from '../../src/protocol/conversations/conversation-file.ts'
import { ProjectFile } from '../../src/protocol/projects/project.ts'
import { ApproachesFile } from '../../src/protocol/work/approaches-file.ts'
import { RemainingTasksFile, StateCheckpoint } from '../../src/protocol/work/state-checkpoint.ts'
import { WorkSessionFile } from '../../src/protocol/work/work-session-file.ts'
import { code, page, table } from './markdown.ts'

const files = [
  {
    name: 'project.json',
    schema: ProjectFile,
    about: 'the project itself; settings are those it has chosen',
  },
  {
    name: 'state_checkpoint.json',
    schema: StateCheckpoint,
    about: 'the whole state of a work session, for people and programs',
  },
  {
    name: 'approaches.json',
    schema: ApproachesFile,
    about: 'what worked, what failed, what could be tried; inherited ones too',
  },
  { name: 'remaining_tasks.json', schema: RemainingTasksFile, about: 'what is left to do' },
  {
    name: 'work_session.json',
    schema: WorkSessionFile,
    about: 'the rows of the tables, so that a rebuilt store has lost nothing',
  },
  {
    name: 'conversation.json',
    schema: ConversationFile,
    about:
      'a conversation: what agents are handed, the summary, the flags; named after its key, which is inside',
  },
] as const

const schemaName = (name: string): string => name.replace('.json', '.schema.json')

/** By name below docs/reference. */
export const fileSchemas: Readonly<Record<string, () => string>> = Object.fromEntries(
  files.map(({ name, schema }) => [
    `files/${schemaName(name)}`,
    () =>
      `${JSON.stringify({ title: name, ...z.toJSONSchema(schema, { io: 'output' }) }, null, 2)}\n`,
  ]),
)

export function filesPage(): string {
  return page(
    '# Files',
    [
      'Beside the database, for people, other programs, and the day the database is gone. The database is the truth: each of these is',
      'written from it within a second of a change, whole (temporary file, fsync, rename, fsync of the folder), and can be made anew.',
      '`holdfast export` writes them elsewhere, `holdfast rebuild` makes a store from them, and `holdfast resume PATH` goes on from one.',
    ].join('\n'),
    [
      '```',
      'projects/{project_id}/',
      '├── project.json',
      '├── sessions/{session_id}/',
      '│   ├── state_checkpoint.json',
      '│   ├── approaches.json',
      '│   ├── remaining_tasks.json',
      '│   ├── work_session.json',
      '│   └── artifacts/',
      '└── agents/{agent_id}/chat.jsonl',
      'conversations/{key}.json',
      '```',
    ].join('\n'),
    table(
      ['file', 'holds', 'schema'],
      files.map(({ name, about }) => [
        code(name),
        about,
        `[${schemaName(name)}](files/${schemaName(name)})`,
      ]),
    ),
    [
      'The file of the conversation `telegram:123456` is `telegram_123456.json`, as picoclaw names it. Characters that some file system does not',
      'take become `_`; a second conversation that would get the same name, also where upper and lower case are one, has a digest of its key in it.',
      'A conversation whose file is long is written less often: up to 1 MB of it a second, so one of 20 MB may be 20 seconds behind.',
      '`holdfast import FOLDER` takes such files in, also ones that picoclaw wrote.',
    ].join('\n'),
    [
      'The files of projects and work sessions say their `schema_version`. One of a newer version is refused with `unknown_schema_version`, an older one is read.',
      'Times are RFC 3339 in UTC. Names are snake_case.',
    ].join('\n'),
  )
}
