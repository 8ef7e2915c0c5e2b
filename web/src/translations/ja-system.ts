/** The words of processes, agent sessions, coordinators and installed agents in Japanese. */

import type * as english from './en-system.ts'
import { firstRun } from './ja-first-run.ts'

const two = (count: number): string => String(count).padStart(2, '0')

export const duration: typeof english.duration = (seconds) => {
  if (seconds < 60) return `${seconds} 秒`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} 分 ${two(seconds % 60)} 秒`
  const hours = Math.floor(minutes / 60)
  return hours < 24
    ? `${hours} 時間 ${two(minutes % 60)} 分`
    : `${Math.floor(hours / 24)} 日 ${hours % 24} 時間`
}

export const processes: typeof english.processes = {
  title: 'プロセス',
  none: '動いているエージェントのプロセスはありません。',
  ended: '終了したプロセス',
  endedNone: '終了したものはまだありません。',
  older: '以前のものを表示',
  states: {
    waiting: '順番待ち',
    starting: '起動中',
    running: '実行中',
    held: '保留',
    ended: '終了',
  },
  stopping: '停止中',
  unreachable: '応答なし',
  lasted: (duration) => `${duration}で終了`,
  neverRan: '起動せず',
  pid: 'プロセス ID',
  launch: '起動',
  launchId: '起動 ID',
  agent: 'エージェント',
  project: 'プロジェクト',
  state: '状態',
  ordered: '起動の指示',
  started: '起動',
  endedAt: '終了',
  coordinator: 'コーディネーター',
  exit: '終わり方',
  exitCode: (code) => `終了コード ${code}`,
  signal: (signal) => `シグナル ${signal}`,
  why: '理由',
  details: (agent) => `${agent} の詳細`,
  output: '出力',
  outputNone: '出力はありません。',
  outputGone: (days: number) => `出力の保存期間（${days} 日）は過ぎました。`,
  outputKept: '最後の 32 KB を保存しています。秘密の値は伏せられます。',
  missing: 'この起動は見つかりません',
  missingText: '別の環境のものか、アドレスが間違っている可能性があります。',
  stop: '停止',
  stopName: (agent) => `${agent} を停止`,
  stopTitle: (agent, project) => `${project} の ${agent} を停止しますか？`,
  stopText: '起動したものすべてとともに終了を求め、5 秒後に強制終了します。',
  stopKept:
    'メッセージとタスクはすべて残ります。未回答のものは次のプロセスに渡され、作業が残っていれば自動的に起動します。',
  stopped: (agent) => `${agent} を停止しています`,
  release: '保留を解除',
  releaseName: (agent) => `${agent} の保留を解除`,
  released: (agent) => `${agent} をもう一度起動します`,
  reasons: {
    exited: '自分で終了しました',
    crashed: '異常終了しました',
    start_failed: '起動できませんでした',
    start_timeout: '時間内に接続しませんでした',
    idle: '長いあいだ動きがありませんでした',
    finished: '作業が終わりました',
    stopped_by_person: 'メンバーが停止しました',
    shutdown: 'Holdfast が停止されました',
    leftover: '異常終了したコーディネーターに取り残されていました',
    coordinator_lost: 'コーディネーターが引き継がれました',
    withdrawn: '不要になりました',
  },
}

export const agentSessions: typeof english.agentSessions = {
  title: 'エージェントセッション',
  none: '接続しているエージェントはいません。',
  purposes: { chat: 'チャット', task: 'タスク' },
  states: { active: '接続中', terminating: '終了処理中', ended: '終了' },
  byOthers: '外部で起動',
}

export const coordinators: typeof english.coordinators = {
  title: 'コーディネーター',
  none: 'コーディネーターが参加していないため、エージェントは起動されません。',
  noneHint:
    '`holdfast up` で Holdfast を起動するか、`holdfast coordinator` でこのマシンを参加させてください。',
  states: { connected: '接続中', unreachable: '応答なし', stopped: '停止' },
  count: (count) => `プロセス ${count} 個`,
  for: (duration) => `接続 ${duration}`,
  heard: '最終応答',
  version: (version) => `バージョン ${version}`,
  takeOver: '引き継ぐ',
  takeOverName: (machine) => `${machine} を引き継ぐ`,
  takeOverTitle: (machine) => `${machine} を引き継ぎますか？`,
  takeOverText:
    'そのプロセスは失われたものとして扱われ、セッションは終了します。作業は応答のあるコーディネーターに渡されます。元のコーディネーターが復帰した場合は拒否され、動いているものを終了します。',
  takeOverWait:
    '応答がないだけでは停止したとは限りません。スリープ中のマシンは復帰すると続きから動きます。戻らないときだけ引き継いでください。',
  takenOver: (machine) => `${machine} を引き継ぎました`,
}

export const running: typeof english.running = {
  title: '作業中',
  none: '作業中のエージェントはいません。',
  looking: '確認しています…',
  count: (count) => `${count} 実行中`,
  task: 'タスク作業中',
  console: 'コンソールで作業中',
  signingIn: '接続中',
  asks: (what) => `対応待ち: ${what}`,
  working: '作業中',
  idle: '待機中',
  stop: (title) => `停止: ${title}`,
  waitsForFolder: 'フォルダーが空くのを待っています',
  subAgents: (n) => `サブエージェント ${n} 件`,
  steps: { none: '作業中', text: '書いています', thought: '考えています', tool: '作業中' },
}

export const detected: typeof english.detected = {
  missing: '未インストール',
  missingHint: 'サーバーのマシンにある Holdfast のフォルダーにインストールします。',
  installOf: (name) => `${name} をインストールするコマンド`,
  title: 'このマシンにあるエージェント',
  hint: 'ワンクリックで追加でき、作業があると起動します。',
  add: '追加',
  addName: (agent) => `${agent} を追加`,
  added: (agent) => `${agent} を追加しました`,
  already: (ids) => `${ids} として追加済み`,
  version: (version) => `バージョン ${version}`,
  noVersion: 'バージョン不明',
  untried: '動作未確認',
  triedOut: '動作確認',
  cannot: {
    start: '起動できません',
    sign_in: 'サインインしていません',
    prompt: '応答しません',
    output: 'コマンドの出力を示しません',
    permission: '許可を求めません',
    tool: 'Holdfast のツールを使えません',
    usage: 'トークン数を報告しません',
    cancel: '中止できません',
    list: 'セッションを一覧できません',
    fork: '分岐できません',
    load: '再開できません',
    apart: '同じプロセスの会話が混ざるため、会話ごとに別のプロセスで動かします',
    end: 'プロセスが残ります',
    workplace: 'サンドボックス「作業場所」では動きません',
    strict: 'サンドボックス「厳格」では動きません',
    known: 'Holdfast が知らないものを送ります',
  },
  canAll: 'すべてできます',
  signIn: (command, key) =>
    `そのマシンで一度サインインしてください: ${command}${key === undefined ? '' : `、または ${key} を設定して追加`}`,
}

export const agentSignIn: typeof english.agentSignIn = {
  title: 'サインイン',
  text: 'サーバーのマシンでエージェントを起動し、サインインの方法を尋ねます。',
  not: 'サインインしていません。',
  next: (command, key) =>
    `そのマシンで一度実行してください: ${command}${key === undefined ? '' : `。または ${key} を設定します`}。方法を尋ねることもできます。`,
  ask: '方法を尋ねる',
  ways: 'サインインの方法',
  none: 'サインインの方法がありません。',
  do: 'サインイン',
  by: (way) => `${way} でサインイン`,
  commandOf: (way) => `${way} のコマンド`,
  out: 'サインアウト',
  states: {
    waiting: 'サインインを待っています…',
    signed_in: 'サインインしました。',
    failed: 'サインインできませんでした。',
  },
}

export const now: typeof english.now = {
  firstRun,
  importing: { title: 'セッションの取り込み', link: 'すでにあるセッションを取り込む…' },
  title: 'いま',
  waiting: '対応待ち',
  waitingNone: 'あなたの対応を待っているものはありません。',
  what: '何をしますか？',
  inProject: 'プロジェクト',
  byAgent: 'エージェント',
  workplace: '作業場所',
  anyWorkplace: 'プロジェクトの設定どおり',
  addAgent: 'エージェントを追加…',
  newSession: '新しいセッション',
  start: '開始',
  startInBackground: 'バックグラウンドで開始',
  cancel: 'キャンセル',
  keptAsDraft: '閉じても下書きは残ります',
  allOfThem: 'すべてのセッション',
  newIn: (project) => `${project} で新しいセッション`,
  quiet: (count) => `動きのないプロジェクト ${count} 件`,
  total: (count) => `セッション ${count} 件`,
  search: '検索',
  recent: '最近のセッション',
  begun: 'セッションを開始しました。',
  noAgent: (project) => `${project} にはまだエージェントがいません。`,
  noProject: 'セッションにはプロジェクト（フォルダーとエージェント）が必要です。',
  allProjects: 'すべてのプロジェクト',
  shownProjects: '表示するプロジェクト',
  groups: { failed: '失敗', finished: '完了', working: '作業中' },
  of: (one, all) => `${all} 件中 ${one} 件目`,
  showAll: (count) => `${count} 件すべてを表示`,
  clear: '一覧から外す',
  clearAll: 'すべて一覧から外す',
  dismiss: '一覧から外す',
  archive: '保管',
  archiveName: (title) => `${title} を保管`,
  bringBack: '戻す',
  bringBackName: (title) => `${title} を戻す`,
  broughtBack: '戻しました',
  state: '状態',
  states: { open: '保管していないもの', archived: '保管済み' },
  everyAgent: 'すべてのエージェント',
  days: { today: '今日', yesterday: '昨日', week: 'この 7 日間' },
  stop: '停止',
  open: '開く',
  undo: '元に戻す',
  taken: {
    cleared: '一覧から外しました',
    dismissed: '一覧から外しました',
    archived: '保管しました',
  },
  sentIn: (seconds) => `${seconds} 秒後に確定`,
  hints: [
    ['j k', '移動'],
    ['1 … 9', 'ボタンを押す'],
    ['Enter', '開く'],
    ['u', '元に戻す'],
    ['n', '新しいセッション'],
    ['?', 'すべてのキー'],
  ],
  waitingForOthers: '判断待ち',
  waitingForOthersNone: '判断を待っているものはありません。',
}
