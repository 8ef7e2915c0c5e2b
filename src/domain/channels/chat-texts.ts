/** Messages of the server in a chat, in the language of the reader's device. Pure. */
import type { Instant } from '../instant.ts'
import { type ChannelName, commandMark } from './key.ts'

export type ChatLanguage = 'en' | 'ja'

/** From a language tag such as `ja-JP`; English for unsupported languages. */
export const languageOf = (tag: string | undefined): ChatLanguage =>
  tag?.toLowerCase().startsWith('ja') ? 'ja' : 'en'

export interface ChatStatus {
  readonly agent: string
  readonly project: string
  readonly doing: 'answering' | 'there' | 'starting' | 'held' | 'away'
  /** Unanswered messages of this chat. */
  readonly waiting: number
  readonly limit: VendorLimit | null
}

/** Until when an agent is at its vendor's limit (AG6). */
export interface VendorLimit {
  readonly until: Instant
  /** The IANA time zone for displayed times. */
  readonly zone: string
  readonly now: Instant
  /** Unanswered messages are answered automatically then. */
  readonly goesOn: boolean
}

/** An agent that could not answer because of the limit. */
export interface ChatAtLimit extends VendorLimit {
  readonly agent: string
  /** The agent's own text. */
  readonly said: string
}

/**
 * `15:40 (Asia/Tokyo)`, with the date on another day. The zone is named, because readers may be
 * anywhere.
 */
function timeIn({ until, zone, now }: VendorLimit): string {
  const at = Temporal.Instant.from(until).toZonedDateTimeISO(zone)
  const isToday = at
    .toPlainDate()
    .equals(Temporal.Instant.from(now).toZonedDateTimeISO(zone).toPlainDate())
  const time = at.toPlainTime().toString({ smallestUnit: 'minute' })
  return `${isToday ? '' : `${at.toPlainDate()} `}${time} (${zone})`
}

const english = (mark: string) => ({
  unpaired:
    'This bot serves only people it knows. Ask its owner to let you in, or for a code, and ' +
    'send the code here.',
  wrongCode: 'This code is not valid, or no longer. Ask for a new one.',
  paired:
    `You are paired. Write a message, and the agent answers here. ${mark}help says what else ` +
    'there is.',
  personPaired:
    'You are paired. This channel is not let in yet: its owner does that on the page, under ' +
    'Channels.',
  personPairedHere: 'You are paired.',
  unknownPerson:
    'This bot answers only people it knows here. Ask its owner for a code, and send it to the ' +
    'bot in a direct message.',
  missed: (count: number) =>
    `While the bot was not connected, more than ${count} messages came here. ${count} of them ` +
    'were read.',
  test: 'This is a test message. The channel works.',
  refused: 'The owner of this bot has not let this chat in.',
  revoked: 'This chat is no longer served.',
  help:
    `Write a message, and the agent answers.\n\n${mark}new begins a new ` +
    `conversation\n${mark}status says what the agent is doing\n${mark}stop stops ` +
    `it\n${mark}continue lets it go on by itself when a limit of its vendor is ` +
    `over\n${mark}help says this`,
  noAgent: 'No agent is set for this chat. Its owner chooses one on the page, under Channels.',
  begun:
    'A new conversation begins here. What was said before is kept, but the agent is no longer ' +
    'told of it.',
  stopped: 'The agent was told to stop.',
  dropped: 'What was waiting is not answered any more.',
  nothingRuns: 'Nothing is running for this chat.',
  cannotStop:
    'This agent is run by others and cannot be stopped from here. What it has not begun is not ' +
    'answered any more.',
  notTaken: (what: string) => `${what} cannot be taken yet. Say it in words, please.`,
  filesLeft: (names: string) =>
    `Not taken: ${names}. Pictures and text files of up to 480 kB in all can be sent.`,
  noPictures: 'This agent does not accept images.',
  attachment: { photo: 'Photos', voice: 'Voice messages', other: 'Files and other attachments' },
  tooLong: 'This message is too long to be taken.',
  atLimit: (limit: ChatAtLimit) =>
    `${limit.agent} has reached the limit of its vendor, until ${timeIn(limit)}. What you ` +
    'wrote is kept but not answered: ' +
    `${limit.goesOn ? `it is answered by itself then (${mark}stop takes that back)` : `send it again then, or send ${mark}continue and it is answered by itself`}. What you send before is tried at once.\n\n${limit.said}`,
  goesOn: (limit: VendorLimit) =>
    `When the limit is over (${timeIn(limit)}), what you wrote is answered by itself. ` +
    `${mark}stop takes that back.`,
  noLimit: 'The agent is at no limit of its vendor.',
  again: '(Sent again: it is not known whether this arrived before.)',
  status: ({ agent, project, doing, waiting, limit }: ChatStatus) => {
    const is = {
      answering: 'is answering',
      there: 'is there and has nothing to do',
      starting: 'is being started',
      held: 'is held: its starts have failed. See the page',
      away: 'is not running; it is started by your next message',
    }[doing]
    const some = waiting === 1 ? ' One message waits for it.' : ` ${waiting} messages wait for it.`
    const wait = waiting === 0 ? '' : some
    const then = limit?.goesOn ? '; what it could not answer is answered by itself then' : ''
    return `${agent} (project ${project}) ${is}.${wait}${limit ? ` It has reached the limit of its vendor, until ${timeIn(limit)}${then}.` : ''}`
  },
})

const japanese: typeof english = (mark) => ({
  unpaired:
    'このボットは登録済みの相手だけに応答します。持ち主に許可してもらうか、コードをもらってここに送ってください。',
  wrongCode: 'このコードは無効か、期限が切れています。新しいコードをもらってください。',
  paired: `登録できました。メッセージを書くと、エージェントがここで答えます。ほかの使い方は ${mark}help をどうぞ。`,
  personPaired:
    '登録できました。このチャンネルはまだ許可されていません。持ち主がページの「チャンネル」で許可します。',
  personPairedHere: '登録できました。',
  unknownPerson:
    'ここでは登録済みの相手だけに応答します。持ち主からコードをもらい、ボットにダイレクトメッセージで送ってください。',
  missed: (count) =>
    `ボットが接続していない間に、ここに ${count} 件を超えるメッセージが届きました。読み取ったのは ${count} 件です。`,
  test: 'テストメッセージです。チャンネルは正常に動作しています。',
  refused: 'このチャットは持ち主に許可されませんでした。',
  revoked: 'このチャットの許可は取り消されました。',
  help:
    `メッセージを書くと、エージェントが答えます。\n\n${mark}new 新しい会話を始めます\n${mark}status エージェントの様子を見ます\n${mark}stop ` +
    `止めます\n${mark}continue 提供元の利用上限が解けたら、自動で続けます\n${mark}help この説明を出します`,
  noAgent:
    'このチャットにはエージェントが決まっていません。持ち主がページの「チャンネル」で選べます。',
  begun:
    'ここから新しい会話です。これまでの内容は保存されていますが、エージェントには渡されません。',
  stopped: 'エージェントに止まるよう伝えました。',
  dropped: '待っていたメッセージには、もう答えません。',
  nothingRuns: 'このチャットのために動いているものはありません。',
  cannotStop:
    'このエージェントは外部で動いているため、ここからは止められません。まだ始めていないものには、もう答えません。',
  notTaken: (what) => `${what}はまだ受け取れません。文章で書いてください。`,
  filesLeft: (names) =>
    `受け取れませんでした: ${names}。送れるのは合計 480 kB までの画像とテキストファイルです。`,
  noPictures: 'このエージェントは画像を受け取れません。',
  attachment: { photo: '写真', voice: '音声メッセージ', other: 'ファイルなどの添付' },
  tooLong: 'このメッセージは長すぎて受け取れません。',
  atLimit: (limit) =>
    `${limit.agent} は提供元の利用上限に達しました（${timeIn(limit)} まで）。お送りいただいた内容は保存されていますが、まだ答えていません。` +
    `${limit.goesOn ? `その時刻を過ぎたら、自動で答えます（取りやめるには ${mark}stop）。` : `その時刻を過ぎたら、もう一度送ってください。${mark}continue を送れば、自動で答えます。`}それより前に送ったものは、すぐに試されます。\n\n${limit.said}`,
  goesOn: (limit) =>
    `上限が解けたら（${timeIn(limit)}）、お送りいただいた内容に自動で答えます。取りやめるには ${mark}stop を送ってください。`,
  noLimit: 'エージェントは提供元の利用上限に達していません。',
  again: '(再送: 先に届いていたかどうかは分かりません。)',
  status: ({ agent, project, doing, waiting, limit }) => {
    const is = {
      answering: 'は答えているところです',
      there: 'は待機中です',
      starting: 'を起動しています',
      held: 'は起動に失敗したため止めてあります。ページを見てください',
      away: 'は動いていません。次のメッセージで起動します',
    }[doing]
    const wait = waiting === 0 ? '' : `未回答のメッセージが${waiting}件あります。`
    const then = limit?.goesOn ? '解けたら、答えられなかったものに自動で答えます。' : ''
    return `${agent}（プロジェクト ${project}）${is}。${wait}${limit ? `提供元の利用上限に達しています（${timeIn(limit)} まで）。${then}` : ''}`
  },
})

type ChatWords = ReturnType<typeof english>

const made = new Map<string, ChatWords>()

/** The words of a chat, with commands as they are written on its channel. */
export function chatWords(language: ChatLanguage, channel: ChannelName): ChatWords {
  const id = `${language}${channel}`
  const words = made.get(id) ?? (language === 'ja' ? japanese : english)(commandMark(channel))
  made.set(id, words)
  return words
}
