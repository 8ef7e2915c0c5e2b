/** What agents ask people in a chat, and what became of it, in the reader's language. Pure. */
import type { ChatLanguage } from './chat-texts.ts'

export interface Ending {
  readonly is: 'yes' | 'no' | 'back' | 'answered' | 'expired' | 'withdrawn'
  readonly who: string
  /** The time of day, with its zone. */
  readonly at: string
}

const english = {
  permission: (agent: string) => `**${agent} asks for permission:**`,
  question: (agent: string) => `**${agent} asks:**`,
  approval: (agent: string, type: string) => `**${agent} asks for approval (${type}):**`,
  inFolder: (folder: string) => `in ${folder}`,
  allow: 'Allow',
  deny: 'Deny',
  approve: 'Approve',
  reject: 'Reject',
  yes: 'Yes',
  no: 'No',
  done: 'Done',
  decline: 'Decline',
  onPage: 'It is too long to be shown here whole. Decide on the page, under Now.',
  formOnPage: 'Answer it on the page, under Now.',
  wait:
    'Another conversation works in this folder. Your message waits until that ends, so that ' +
    'they do not overwrite each other’s files. Answered now, both work in it at once.',
  answerNow: 'Answer now',
  waitOver: 'Your message is being answered.',
  notValid: 'This button is not valid any more.',
  notYours: 'You are not known here. Ask the owner for a code, and send it to the bot.',
  mayNot: 'You may not decide this.',
  ended: ({ is, who, at }: Ending) =>
    ({
      yes: `✓ Approved by ${who}, ${at}`,
      no: `✗ Rejected by ${who}, ${at}`,
      back: `↩ Sent back by ${who}, ${at}`,
      answered: `✓ Answered by ${who}, ${at}`,
      expired: `Not answered in time, ${at}`,
      withdrawn: `Withdrawn by the agent, ${at}`,
    })[is],
}

const japanese: typeof english = {
  permission: (agent) => `**${agent} が許可を求めています:**`,
  question: (agent) => `**${agent} からの質問:**`,
  approval: (agent, type) => `**${agent} が承認を求めています（${type}）:**`,
  inFolder: (folder) => `フォルダー: ${folder}`,
  allow: '許可',
  deny: '拒否',
  approve: '承認',
  reject: '却下',
  yes: 'はい',
  no: 'いいえ',
  done: '完了',
  decline: '答えない',
  onPage: '長いため、ここには全体を表示できません。ページの「いま」で決めてください。',
  formOnPage: 'ページの「いま」で答えてください。',
  wait:
    '別の会話がこのフォルダーで作業しています。互いのファイルを上書きしないよう、終わるまで待ちます。' +
    'いま答えると、両方が同時に作業します。',
  answerNow: 'いま答える',
  waitOver: 'メッセージに答えています。',
  notValid: 'このボタンはもう使えません。',
  notYours: '登録されていません。持ち主からコードをもらい、ボットに送ってください。',
  mayNot: 'これを決める権限がありません。',
  ended: ({ is, who, at }) =>
    ({
      yes: `✓ ${who} が承認しました（${at}）`,
      no: `✗ ${who} が却下しました（${at}）`,
      back: `↩ ${who} が差し戻しました（${at}）`,
      answered: `✓ ${who} が答えました（${at}）`,
      expired: `時間内に答えがありませんでした（${at}）`,
      withdrawn: `エージェントが取り下げました（${at}）`,
    })[is],
}

export const askWords = (language: ChatLanguage): typeof english =>
  language === 'ja' ? japanese : english

/** A block of code that nothing in it can end. */
export function fenced(code: string): string {
  const longest = Math.max(2, ...[...code.matchAll(/`+/g)].map(([run]) => run.length))
  const mark = '`'.repeat(longest + 1)
  return `${mark}\n${code}\n${mark}`
}
