/** `holdfast agents`: the agents that can be started, and how. */

import { sandboxModes } from '../../domain/agents/isolation.ts'
import type { CommandOption, CommandSpec } from '../command.ts'
import { limitOption, yesOption } from '../options-everywhere.ts'
import { releaseAgent, stopAgent } from '../processes/process-commands.ts'
import { projectOption } from '../projects/choose-project.ts'
import { add, edit, listAgents, passkey, remove, showAgent } from './agent-commands.ts'
import { detect } from './detected-agents.ts'
import { doctorAgents } from './probe-agent.ts'
import { watchAgents } from './watch-agents.ts'

const agent = { name: 'agent', about: 'id, or name where only one has it' }
const command = {
  name: '[command...]',
  about: 'behind --: the program to start and its arguments; without it others start the agent',
}

/** SB1: also of an assignment. */
export const isolationOptions: readonly CommandOption[] = [
  {
    flags: '--sandbox <mode>',
    about: 'workplace: it sees its workplace, its settings and the internet; strict: only allowed hosts',
    choices: sandboxModes,
  },
  { flags: '--allow-folder <path>', about: 'a folder it may read in its sandbox; none: no more', many: true },
  { flags: '--allow-host <name>', about: 'a host it may reach: name, name:port or *.name; none: no more', many: true },
  { flags: '--wrapper <word>', about: 'a command put in front of its own, word by word; none: no more', many: true },
  { flags: '--gateway <url>', about: 'its requests to a model go to this address with a key it never sees; none: no more' },
  { flags: '--gateway-secret <name>', about: "the project's secret that is this key" },
  { flags: '--gateway-model <name>', about: 'the model to ask for, where the agent must be told' },
]

const shared: readonly CommandOption[] = [
  {
    flags: '--protocol <protocol>',
    about: 'it is prompted over stdio, or asks for work; acp when left out',
    choices: ['acp', 'mcp'],
  },
  { flags: '--role <role>', about: 'what it does, such as coder' },
  {
    flags: '--env <name>',
    about: 'hand over this variable with the value it has here; - for NAME=value lines on standard input',
    many: true,
  },
  { flags: '--env-file <file>', about: 'hand over the NAME=value lines of a file, - for standard input', value: 'file' },
  { flags: '--max-processes <number>', about: 'how many may run at once' },
  { flags: '--runs-on <label>', about: 'only on machines whose coordinator has this label; any: on every one' },
  ...isolationOptions,
  { flags: '--hold-seconds <number>', about: 'how long its calls may be held while there is no work' },
]

export const agents: CommandSpec = {
  name: 'agents',
  summary: 'Agents: what can be started, and how',
  examples: [
    ['agents', 'list them'],
    ['agents add claude --protocol acp -- npx claude-code-acp', 'add one; prints its passkey once'],
  ],
  commands: [
    {
      name: 'list',
      summary: 'List the agents, newest first (the default)',
      options: [limitOption],
      examples: [['agents list', 'all of them']],
      isDefault: true,
      run: listAgents,
    },
    {
      name: 'show',
      summary: 'Show one agent',
      operands: [agent],
      examples: [['agents show claude', 'how it is started; values of variables are never shown']],
      run: showAgent,
    },
    {
      name: 'add',
      summary: 'Add an agent; prints its passkey once',
      operands: [{ name: '[id]', about: 'lower-case letters, digits, - and _; with --detected its own' }, command],
      options: [
        { flags: '--name <name>', about: 'what to call it (its id)' },
        { flags: '--detected <name>', about: 'one that `agents detect` has found, with its recipe' },
        ...shared,
      ],
      examples: [
        ['agents add claude --name "Claude Code" -- npx claude-code-acp', 'started by Holdfast'],
        ['agents add helper --protocol mcp', 'started by somebody else, asks for work'],
        ['agents add codex --env OPENAI_API_KEY -- codex-acp', 'with a key from this environment'],
        ['agents add --detected claude', 'one that is installed, with all it needs'],
      ],
      run: add,
    },
    {
      name: 'detect',
      summary: "Agents that are installed on the server's machine",
      examples: [
        ['agents detect', 'what is there, in which version, and whether it is added'],
        ['agents detect --json', 'with the recipe of each'],
      ],
      run: detect,
    },
    {
      name: 'doctor',
      summary: 'Try out what an agent can do: it is started, prompted, asked, cancelled, ended and brought back',
      operands: [{ name: '[agent]', about: 'id, or name where only one has it; without it all that are prompted' }],
      options: [{ flags: '--prompt <text>', about: 'what it is told to run, instead of a harmless command' }],
      examples: [
        ['agents doctor claude', 'each result as it comes; the report is kept with the agent'],
        ['agents doctor claude --json', 'the report; ends with 0 when the agent could be started'],
      ],
      run: doctorAgents,
    },
    {
      name: 'watch',
      summary: 'Watch who is at work: a live table, or a line for each change where nobody looks',
      options: [{ flags: '--for <seconds>', about: 'end after so long; without it Ctrl-C ends' }],
      examples: [
        ['agents watch', 'a table that stays true'],
        ['agents watch --json --for 60', 'a minute of changes, a line of JSON each'],
      ],
      run: watchAgents,
    },
    {
      name: 'stop',
      summary: "Stop an agent's processes; it is started again when there is work",
      operands: [agent],
      options: [projectOption, yesOption],
      examples: [
        ['agents stop claude', 'everywhere'],
        ['agents stop claude --project website --yes', 'in one project, without being asked'],
      ],
      run: stopAgent,
    },
    {
      name: 'release',
      summary: 'Try an agent again that is held after too many failed starts',
      operands: [agent],
      options: [projectOption],
      examples: [['agents release claude', 'in its only project']],
      run: releaseAgent,
    },
    {
      name: 'edit',
      summary: 'Change an agent',
      operands: [agent, command],
      options: [
        { flags: '--name <name>', about: 'a new name' },
        ...shared,
        { flags: '--no-command', about: 'others start it from now on' },
        { flags: '--remove-env <name>', about: 'no longer hand over this variable', many: true },
      ],
      examples: [
        ['agents edit claude --max-processes 4', 'at most four at once'],
        ['agents edit claude -- npx claude-code-acp --verbose', 'start it in another way'],
        [
          'agents edit claude --gateway https://api.anthropic.com --gateway-secret ANTHROPIC_KEY',
          'its key stays with Holdfast, and tokens are counted',
        ],
      ],
      run: edit,
    },
    {
      name: 'delete',
      summary: 'Delete an agent and take it off its projects',
      operands: [agent],
      options: [yesOption],
      examples: [['agents delete claude --yes', 'without being asked']],
      run: remove,
    },
    {
      name: 'passkey',
      summary: 'Replace the passkey; prints the new one once',
      operands: [agent],
      options: [yesOption],
      examples: [['agents passkey claude', 'the old one stops working at once']],
      run: passkey,
    },
  ],
}
