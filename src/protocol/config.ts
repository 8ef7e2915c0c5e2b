/**
 * All configuration values (CF1): name, type, default and meaning. The file's JSON schema, the
 * environment variables and the flags are derived from this table. Keys are snake_case, with a dot
 * behind the group. Does not use zod, because every command reads the configuration and must start
 * fast.
 */
/** Texts of several forms; a list is comma-separated. */
type TextKind =
  | 'text'
  | 'address'
  | 'timezone'
  | 'host'
  | 'hosts'
  | 'networks'
  | 'origins'
  | 'database'
  | 'bot-token'
  | 'app-token'
  | 'api-root'

const text = <const Kind extends TextKind, const Fallback extends string | null>(
  kind: Kind,
  fallback: Fallback,
  about: string,
) => ({ kind, fallback, about })

/** Contains a password: never a flag, which other users could read, and masked when printed. */
const secret = <const Kind extends TextKind>(kind: Kind, about: string) => ({
  ...text(kind, null, about),
  secret: true as const,
})

const whole = (fallback: number, min: number, max: number, about: string) =>
  ({ kind: 'number', fallback, min, max, about }) as const

/** The fallback null is `off`. */
const wholeOrOff = (fallback: number | null, min: number, max: number, about: string) =>
  ({ kind: 'number-or-off', fallback, min, max, about }) as const

const choice = <const Word extends string, const Fallback extends string | null>(
  allowed: readonly Word[],
  fallback: Fallback,
  about: string,
) => ({ kind: 'choice', fallback, allowed, about }) as const

const toggle = (fallback: boolean, about: string) => ({ kind: 'switch', fallback, about }) as const

/** Absolute paths. Several in one text are separated as in PATH. */
const folders = (about: string) => ({ kind: 'folders', fallback: null, about }) as const

export const configRules = {
  host: text('host', '127.0.0.1', 'Address to listen on; anything but loopback needs behind_proxy'),
  port: whole(4747, 0, 65_535, 'Port to listen on; 0 takes a free one'),
  data: text('text', null, 'Folder that holds all data'),
  public_url: text(
    'address',
    null,
    'The address other devices use, such as https://holdfast.example.com',
  ),
  behind_proxy: toggle(false, 'A proxy in front ends TLS, so a non-loopback host is accepted'),
  trusted_proxies: text(
    'networks',
    null,
    'Addresses and networks of trusted proxies, comma-separated, whose X-Forwarded-For ' +
      'is used, such as 127.0.0.1,10.0.0.0/8; none when left out',
  ),
  allowed_origins: text(
    'origins',
    null,
    'Other origins that may send requests to this server, comma-separated, such as ' +
      'https://panel.example.com; none when left out',
  ),
  'sign_in.idle_days': whole(30, 1, 365, 'After how many days without use a browser is signed out'),
  'sign_in.most_days': whole(90, 1, 365, 'After how many days a browser is signed out in any case'),
  database_url: secret('database', 'postgres://…; SQLite in the data folder when left out'),
  sealing_key_file: text(
    'text',
    null,
    'File with the key that seals the keys of agents, the same on every node; ' +
      'secrets/sealing-key in the data folder when left out',
  ),
  drain_seconds: whole(
    1,
    0,
    4,
    'With database_url: how long a stopping node still answers, so that load balancers ' +
      'can take it out first',
  ),
  'metrics.hosts': text(
    'hosts',
    null,
    'Further addresses of this node that serve /metrics, with port, comma-separated, ' +
      'such as 10.0.0.11:4747',
  ),
  'log.level': choice(
    ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'],
    'info',
    'Least severe level that is logged',
  ),
  'log.format': choice(
    ['json', 'text'],
    null,
    'Format of the log; text on a terminal when left out, otherwise json',
  ),
  'cutover.hour': wholeOrOff(
    4,
    0,
    23,
    'Hour at which chapters are closed and a new day begins; off: never',
  ),
  'cutover.timezone': text(
    'timezone',
    'Asia/Tokyo',
    'Time zone of that hour: an IANA name, or local for that of this machine',
  ),
  'coordinator.max_concurrent': whole(64, 1, 10_000, 'Agent processes at once on one machine'),
  'coordinator.unreachable_seconds': whole(
    30,
    5,
    300,
    'Silence after which a coordinator is shown as unreachable',
  ),
  'coordinator.takeover_minutes': wholeOrOff(
    null,
    1,
    10_080,
    'Silence after which the work of a coordinator is taken over automatically; off: ' + 'never',
  ),
  'coordinator.alone_minutes': whole(
    30,
    1,
    1440,
    'How long a coordinator continues without a server',
  ),
  'sandbox.max_processes': whole(
    4096,
    16,
    1_000_000,
    'Limit of processes and threads in the sandbox of one agent',
  ),
  'sandbox.max_memory_mb': whole(
    16_384,
    64,
    16_777_216,
    'Memory limit of the sandbox of one agent; at most four fifths of the machine’s ' + 'memory',
  ),
  'sandbox.max_file_mb': whole(
    8192,
    1,
    16_777_216,
    'Size limit of a single file that a sandboxed agent writes',
  ),
  'sandbox.max_tmp_mb': whole(
    4096,
    1,
    16_777_216,
    'Size limit of each temporary folder of a sandbox, held in memory',
  ),
  'sandbox.max_workplace_mb': whole(
    32_768,
    1,
    16_777_216,
    'How much one process of a sandboxed agent may add to its workplace',
  ),
  'projects.roots': folders(
    'Folders that projects may be in, separated by colons (semicolons on Windows); ' +
      'anywhere when left out',
  ),
  'telegram.token': secret('bot-token', 'Token of a bot, from @BotFather: connects Telegram'),
  'telegram.api_root': text(
    'address',
    null,
    'Address of your own Bot API server; Telegram’s when left out',
  ),
  'slack.bot_token': secret('app-token', 'Bot token of a Slack app, xoxb-…: connects Slack'),
  'slack.app_token': secret('app-token', 'App-level token of the same Slack app, xapp-…'),
  'slack.api_root': text(
    'api-root',
    null,
    'Address that stands for Slack’s API and its files; Slack’s own when left out',
  ),
  'discord.token': secret('app-token', 'Token of a Discord bot: connects Discord'),
  'discord.api_root': text(
    'api-root',
    null,
    'Address that stands for Discord’s API and its files; Discord’s own when left out',
  ),
}

export type ConfigKey = keyof typeof configRules
export const configKeys = Object.keys(configRules) as ConfigKey[]

type ValueOf<Rule> = Rule extends { kind: 'number' }
  ? number
  : Rule extends { kind: 'number-or-off' }
    ? number | null
    : Rule extends { kind: 'folders' }
      ? readonly string[] | null
      : Rule extends { kind: 'switch' }
        ? boolean
        : Rule extends {
              kind: 'choice'
              allowed: readonly (infer Word)[]
              fallback: infer Fallback
            }
          ? Word | (Fallback extends null ? null : never)
          : Rule extends { fallback: null }
            ? string | null
            : string

/** The effective values, after the folder and the terminal were considered. */
export type ConfigValues = {
  readonly [Key in ConfigKey]: Key extends 'data' | 'log.format'
    ? NonNullable<ValueOf<(typeof configRules)[Key]>>
    : ValueOf<(typeof configRules)[Key]>
}

export const environmentName = (key: ConfigKey): string =>
  `HOLDFAST_${key.replaceAll('.', '_').toUpperCase()}`
export const flagName = (key: ConfigKey): string => key.replaceAll(/[._]/g, '-')
