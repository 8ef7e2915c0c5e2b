/** The notices of the server and its coordinators in Japanese; parameters stand in braces. */
import type { Translation } from '../../../src/protocol/notice-words.ts'
import {
  earlierSentences as oldForms,
  type Sentences,
} from '../../../src/protocol/status-text-list.ts'
import { errors } from './ja-errors.ts'
import { refusals } from './ja-refusals.ts'

const words: Sentences = {
  exitCode: '終了コード {code} で終了しました',
  endedBySignal: '{signal} により終了しました',
  wasGone: 'コーディネーターが再接続したときには、すでに終了していました',
  neverSignedIn: 'エラーなしで終了しましたが、一度も接続しませんでした',
  inMidWork: 'エラーなしで終了しましたが、作業は完了していませんでした',
  notSignedIn: '{seconds} 秒以内に接続しませんでした',
  failedOnceLast: '{seconds} 秒間に 1 回失敗しました。最後の理由: {last}',
  failedOftenLast: '{seconds} 秒間に {count} 回失敗しました。最後の理由: {last}',
  failedOnce: '{seconds} 秒間に 1 回失敗しました',
  failedOften: '{seconds} 秒間に {count} 回失敗しました',
  keysNotOpened:
    '{agent} の {names} を開けません。別の鍵で封印されています。`agents edit` で設定し直すか、その鍵を元に戻してください。',
  gatewayWithoutModel:
    '{agent} には、ゲートウェイの先のモデルを指定する必要があります。`agents edit ID --gateway-model NAME` で指定してください。',
  coordinatorOfBefore:
    '{machine} のコーディネーターは以前のビルドのため、このセッションの作業場所を作成できません。再起動してください',
  gatewayWithoutSecret:
    '{agent} のゲートウェイにはシークレット {name} が必要ですが、このプロジェクトにはありません。`holdfast secrets set {name}` で設定するか、`agents edit` でゲートウェイを変更してください。',
  agentDeleted: '{agent} は削除されたため、起動できません',

  processEndedItself: 'プロセスが自分で終了しました',
  processEnded: 'プロセスが終了しました',
  holdfastStopped: 'Holdfast が停止されました',
  coordinatorAnew: 'コーディネーターが再起動されました',
  takenOver: '別のコーディネーターが引き継ぎました',
  startWithdrawn: '起動が取り消されました',
  notReadyInTime: '時間内に準備ができませんでした',

  noProgram: 'このマシンにプログラム {file} がありません。',
  noSandbox:
    'このエージェントはサンドボックスで動きますが、このマシンにはありません ({problem})。インストール: {install}',
  workplaceTooWide:
    'サンドボックスから {folder} のすべてが見えてしまいます。プロジェクト専用のフォルダーを指定してください。',
  workplaceIsLink:
    '{folder} は {place} へのリンクです。サンドボックスはリンクをたどりません。プロジェクトに元のフォルダーを指定してください。',
  otherWorkplace: 'このサンドボックスは別の作業場所のために作られています。',
  sandboxProcesses:
    '終了しました: サンドボックスがプロセスとスレッドの上限 {most} 個に達しました ({setting})。',
  sandboxMemory:
    '終了しました: サンドボックスがメモリの上限 {most} メガバイトに達しました ({setting})。',
  sandboxWorkplace:
    '終了しました: 作業場所に {most} メガバイトを書き込んだか ({setting})、ディスクをいっぱいにしました。書き込んだものは残っています。',
  sandboxTmp: 'サンドボックスの一時フォルダーがいっぱいです: {most} メガバイト ({setting})。',
  otherOwner: 'このサンドボックスには別の人の記録が入っています。',
  settingsNotPlain:
    '{place} はリンクか別の種類のファイルなので、その中の記録を分けて保存できません。通常のものに置き換えてください。',
  stateNotInHome:
    'このエージェント専用のホームに {path} をコピーできません (`allow.state`)。{home} の中にあるものだけを指定でき、ホーム全体やサーバーのデータは指定できません。',
  stateNotPlain:
    'このエージェント専用のホームに {path} をコピーできません (`allow.state`)。存在しないか、リンクか、リンクの先にあります。実際にあるものを、そのパスで指定してください。',
  stateTooLarge:
    'このエージェント専用のホームにコピーするもの (`allow.state`) が {most} メガバイトまたは {files} 個を超えています。減らしてください。',
  noProgramOnPath: 'このマシンの PATH にプログラム {file} がありません。',
  mayNotRun: 'Holdfast の実行ユーザーには {file} を実行する権限がありません。',
  tooLongToStart: '{file} の引数と環境変数が長すぎます。',
  noRoom: 'このマシンではこれ以上プロセスを起動できません（{code}）。',
  notStartedBecause: '起動できませんでした: {why}',
  programNotStarted: '{file} を起動できませんでした: {why}',

  setUpEnded: 'プロジェクトのセットアップコマンド（{file}）が終了コード {code} で終了しました。',
  setUpSignal: 'プロジェクトのセットアップコマンド（{file}）がシグナルにより終了しました。',
  setUpTooLong:
    'プロジェクトのセットアップコマンド（{file}）に時間がかかりすぎたため、終了しました。',
  setUpStopped: 'プロジェクトのセットアップコマンド（{file}）が停止されました。',
  setUpNotRun: 'プロジェクトのセットアップコマンド（{file}）を実行できませんでした。',
  noFolderHere: 'このマシンにプロジェクトのフォルダーがありません。',
  folderGone:
    'プロジェクトのフォルダー {folder} がこのマシンにありません。フォルダーを元に戻すか、プロジェクトに別のフォルダーを指定してから、エージェントを起動し直してください。',
  worktreeGone:
    'ブランチ {branch} のワークツリー {folder} は移動または削除されています。元の場所に戻すか、ブランチから作り直す場合はプロジェクトで `{command}` を実行してから、エージェントを起動し直してください。',
  worktreeMoved:
    'ブランチ {branch} は {folder} でチェックアウトされています。`{command}` で {place} に戻すか、そちらを削除してから、エージェントを起動し直してください。',
  workspaceTaken: 'フォルダー {workspace} はほかで使われています。別の名前にしてください。',
  bareRepository: '{folder} は作業ファイルのないベアリポジトリです。',
  noCommit: '{folder} の git リポジトリにはまだコミットがありません。',
  othersRepository: '{folder} の git リポジトリは別のユーザーのものなので、git が開きません。',
  noRepository: '{folder} は git リポジトリではありません。',
  gitCannotOpen: 'git が {folder} を開けません: {why}',

  withoutTools:
    '{agent} は Holdfast のツールに接続していません。試したことの記録、タスクの作成、承認の依頼はできません。プロセスの出力を確認してください',
  acpSessionGone: 'エージェント側にこのセッションはもうありません。',
  openElsewhere:
    'エージェントのセッションは別のプログラムで開かれており、エージェントはそれを複製できません。そのため、これまでの内容を新しいセッションに伝えました。',
  copyOfOpenElsewhere:
    'エージェントのセッションは別のプログラムで開かれているため、ここではその複製で続けます。',
  signInFirst: '{why} 先にエージェント自身のプログラムでサインインしてください: {ways}',
  signInWays:
    '{why}\n次の方法でサインインできます。エージェントのページ、または `holdfast agents login {agent}` から行えます:\n{ways}',
  otherAcp:
    'エージェントの ACP はバージョン {theirs} ですが、Holdfast はバージョン {ours} に対応しています。',
  noUsableId: 'エージェントが開始したセッションには、使える ID がありませんでした。',
  loadLoses: 'このエージェントはセッションを読み込むとその内容を失うため、読み込みません。',
  loadedNothing: 'エージェントが読み込んだセッションは空でした。',
  cannotBringBack: 'このエージェントは以前のセッションを復元できません。',
  folderHasGone:
    '以前のセッションのフォルダーはもうありません。残すにはプロジェクトにフォルダーを設定してください。',
  endedBeforeAnswer: 'エージェントは {what} に応答する前に終了しました。',
  noAnswerWithin: 'エージェントは {what} に {seconds} 秒以内に応答しませんでした。',
  notReadyWithin: '{seconds} 秒以内に準備ができませんでした。',
  hostsRefused:
    '{why} その間、サンドボックスが {hosts} への接続を拒否しました。許可するには: `{command}`',
  cannotBeSpokenTo: '今はこのエージェントにプロンプトを送れません。',
  wroteTooMuch: 'エージェントの、メッセージではない出力が多すぎます。',
  turnNotGivenBack:
    'エージェントは前のターンをまだ終えていません。しばらく待つか、いったん終了して起動し直してください。',
  noPictures: 'このエージェントは画像を受け取れません。',
  noReason: 'エージェントは理由を示しませんでした',
  promptRefused: 'プロンプト: {why}',
  thePrompt: 'プロンプト',
  didNotWork: 'うまくいきませんでした: {why}',
  endedEmpty: 'エージェントは回答なしでターンを終えました。',
  probablyError:
    'これは回答ではなく、おそらくモデルのエラーです。やり直すには、もう一度送信してください。',
  endedDenied: '求めた許可（{what}）が拒否されたため、エージェントはターンを終えました。',
  endedUnanswered:
    '求めた許可（{what}）に期限までに返答がなかったため、エージェントはターンを終えました。',
  endedMaxTokens: '回答がモデルのトークン上限に達したため、ここで途切れています。',
  endedMaxTurns: 'エージェントは 1 ターンのモデル呼び出し上限に達し、完了前に停止しました。',
  endedRefusal: 'エージェントは続行を拒否しました。',
  endedAfterTools: '実行したもの: {tools}',
  stoppedBy: '{who} が停止しました。',
  processGoneTwice:
    'この作業中にエージェントのプロセスが 2 回終了しました。自動では再試行しません。もう一度試すには再送信してください。',
  otherConversation: '別の会話に場所を譲るため停止しました。',
  mixesConversations:
    '同じプロセスの 2 つの会話が互いの内容を知っていたため、会話ごとに別のプロセスで動かします。',
  projectMoved: 'プロジェクトのフォルダーが変わりました。',
  takesNoPrompt:
    'セッションを開き直し、再起動しても、エージェントはプロンプトを受け付けません: {why} プロセスの出力を確認してから、起動し直してください。',
  folderAllowed: '許可されたフォルダーを使えるように再起動しました。',
  contextUseless: 'エージェントが応答しなくなったため、再起動します。',
  contextBroken:
    'エージェント側のセッションが使えなくなりました。何も変更しない要求も失敗します（{why}）。次のメッセージのときに開き直します。',
  contextReopened:
    'プロンプトを受け付けなくなったため、エージェント側のセッションを開き直しました。記憶は保たれています。',
  contextReplaced:
    'プロンプトを受け付けなくなったため、新しいセッションで再起動しました。ここでの会話は伝えましたが、それ以外の記憶は失われました。',
  contextForgotten:
    'エージェント側のセッションを復元できませんでした（{why}）。ここでの会話は伝えましたが、それ以外の記憶は失われました。',

  stoppedByPerson: 'メンバーが停止しました',
  userSessionEnded: 'コンソールが終了されました',
  projectDeleted: 'プロジェクトが削除されました',
  replaced: '別のエージェントに交代しました',

  workError: 'エラーにより作業が中断されました。',
  workProcessExited: '作業が終わる前にエージェントのプロセスが終了しました。',
  workConnectionLost: 'エージェントとの接続が失われました。',
  workMachineLost: 'エージェントが動いていたマシンが失われました。',
  workAbandoned: '作業が終わる前にエージェントがいなくなりました。',
  taskFailedBecause: 'タスク {task} が失敗しました: {why}',
  taskFailed: 'タスク {task} が失敗しました。',
  approachesRefused:
    '{file} の変更は取り込まれませんでした: {why}。ファイルはそのままです。直すか削除してください。',
  approachesChanged:
    '{file} の {ids} が手で変更または削除されましたが、取り込まれません。ファイルはそのままです。元に戻すか、ファイルを削除してください。',
  agentNotInProject:
    '{agent} はもうこのプロジェクトに属していません。割り当てられていたタスク: {tasks}',
  roleNeeded:
    '{agent} はコンソールで役割 {role} を担当していましたが、そこでは続けられません。このプロジェクトでコンソールを開き、{agent} を役割 {role} で起動すると、この作業を引き継ぎます。',
  noTaskLeft: '残っているタスクはありません。タスクを作成し、エージェントに割り当ててください。',
  taskNeeded: '残りはタスク {task} を待っています。もう一度開始するか、完了にしてください。',
  nobodyAssigned: 'タスク {task} は割り当てられていません。エージェントに割り当ててください。',
  agentByHand: '{agent} には起動コマンドがありません。手動で起動してください。',
  noMachineFor: '接続中のマシンに {agent} を起動できるものがありません。',
  cannotGoOnItself: '{agent} は役割 {role} を自動では続けられません: {why}',
  inConsoleOfOther:
    '{agent} はほかのユーザーのコンソールで作業していたため、そこでのみ続けられます',

  uncommittedFiles: 'コミットされていないファイルが {count} 個あります。先にコミットしてください。',
  noBranch: 'ブランチ {branch} がありません。',
  branchMovedBecause: 'その間に {branch} が進みました: {why}',
  branchMoved: 'その間に {branch} が進みました。',
  branchOfOther: '{branch} は、ほかのセッションのワークツリーでチェックアウトされています。',
  branchInUse:
    '{branch} は {folder} でチェックアウトされていて、コミットされていないファイルがあります。',
  agentWorksThere: 'エージェントが作業中か、まもなく作業を始めます。',
  processesThere: 'ここで動いているプロセスがあります: {pids}',
  somebodyWorks: '使用中です。',
  askedTooMuch: 'このマシンは多くの要求を処理中です。',
  copiesTooMany: '指定されたファイルが {count} 個を超えています',
  copyMissing: 'プロジェクトのフォルダーにありません',
  copyNoFile: 'ファイルではありません',
  copyTooLarge: '{size} MiB を超えています',
  copyThere: 'すでにあります',
  copyNotIgnored: 'git の無視対象ではありません',
  copyFailed: 'コピーできませんでした（{code}）',

  telegramUnreachable:
    'Telegram に接続できません（{code}）。再試行します。ネットワークと telegram.api_root をご確認ください。',
  telegramSilent: 'Telegram から応答がありません（{why}）。再試行します。',
  telegramToken:
    'Telegram がこのトークンを認識しません。@BotFather で正しいトークンを取得し、HOLDFAST_TELEGRAM_TOKEN（または telegram.token）に設定して、再起動してください。',
  telegramElsewhere:
    '別のプログラムがこのボットのメッセージを受け取っています（{why}）。それを止めるか、@BotFather で専用のボットを作ってください。',
  telegramBusy: '短時間に送りすぎたため、Telegram から待つよう求められています。',
  telegramClosed: 'Telegram がそこへの送信を許可していません（{why}）。',
  telegramRefused: 'Telegram が受け付けませんでした（{why}）。',
  telegramTrouble: 'Telegram がエラーを返しました（{code}: {why}）。再試行します。',
  tooManyWait:
    '送信待ちのメッセージが {count} 件を超えたため、新しいものは送信されません。会話には残っています。',

  platformUnreachable:
    '{platform} に接続できません（{code}）。再試行します。ネットワークと {setting} をご確認ください。',
  platformSilent: '{platform} から応答がありません（{why}）。再試行します。',
  platformToken:
    '{platform} がこのトークンを認識しません（{why}）。正しいトークンを {setting} に設定して、再起動してください。',
  platformMissesRight:
    'アプリに {platform} での権限が足りません（{why}）。ガイドに従って追加し、再起動してください。',
  platformBusy: '短時間に送りすぎたため、{platform} から待つよう求められています。',
  platformClosed: '{platform} がそこへの送信を許可していません（{why}）。',
  platformRefused: '{platform} が受け付けませんでした（{why}）。',
  platformTrouble: '{platform} がエラーを返しました（{why}）。再試行します。',
  platformFlood: '一度に処理できる数を超えるメッセージが届きました。再接続します。',

  userRequested: 'ユーザーの操作',
  nobodyConnected: '誰も接続していなかったため',
  givenUp: '1 日以内に送信できませんでした。会話には残っています。',
  messageTooEarly: '接続が確立する前にメッセージが届きました',
  channelFailed: '失敗しました: {why}',
  turnTooLong: 'ターンが上限の {seconds} 秒を超えたため、停止しました。',
  turnTooLongMinutes: 'ターンが上限の {minutes} 分を超えたため、停止しました。',
  launchIdNoName: '起動の ID をフォルダー名にできません。',
  coreWorktreeElsewhere: 'core.worktree が別の場所を指しています',
  notCheckout: 'このリポジトリのチェックアウトではありません',
  gitTooManyPrograms: '{folder} の git 設定に登録されたプログラムが多すぎます。',
  gitPrintedTooMuch: 'git {command} の出力が多すぎます。',
  gitEndedWith: 'git {command} が {code} で終了しました。',
  gitNotRun: '{folder} で git を実行できません（{code}）。',
  pipeInTheWay: '{file} は名前付きパイプで、git が待ち続けます。削除してください。',
  gitStoodStill: 'git {command} が応答しなくなったため、停止しました。',
  notOnDisk: '{folder} に取り込んだ内容をディスクに書き込めませんでした: {why}',
  remoteBranchInUse: '{branch} は {folder} でチェックアウトされているため、上書きしません。',
  refsInTable: '参照が表の形式で保存されており、Holdfast では読めません',
  fileNotMade: '{file} を作成できませんでした ({code})。',
  indexLocked: '{file} があります。別の git が作業中です。そうでなければ削除してください。',
  needsFilter:
    '{file}（ほか {more} 件）にはフィルター（大きなファイル用など）が設定されていますが、Holdfast はフィルターを実行しません。エージェントにコミットさせるか、そこで git を直接使ってください。',
  notFiltered:
    '{file}（ほか {more} 件）にはフィルターが設定されていますが、Holdfast は実行しません。ファイルはコミットされたままの内容です。大きなファイルの場合: {command}',
  rebaseTooLong: 'リベースするコミットが {count} 件あり、上限の {most} 件を超えています。',
  gitTooSlow: 'git {command} が {seconds} 秒以内に終わりませんでした。',
  gitFailed: 'git {command} が失敗しました: {why}',
  notWorktreeTop: '{folder} はワークツリーの最上位ではありません。',
  notOurWorktree: '{folder} は Holdfast が作ったワークツリーではありません。',
  folderNotThere: '{folder} はもうありません。',
  notWhereWorkspaces: '{folder} は Holdfast の作業フォルダーの場所ではありません。',
  folderNotEmpty: '{folder} は空ではありません。その内容は他のどこにもありません。',
  plainNotEmpty: 'git のないフォルダーで、空ではありません。その内容は他のどこにもありません。',
  requestNotKnown: 'このマシンのコーディネーターは、この操作に対応していません。',
  pastGone: 'このセッションは、エージェントのファイルにもうありません。',
  answerTooLarge: '応答が大きすぎます。',
  fileNotJson: 'JSON ではありません',
  noList: '{kind} がリストではありません',
  commitsUnreadable: 'エージェントのコミットを読み取れません。',
  commitsDamaged: 'エージェントのコミットが壊れています: {why}',
  stagedRefused:
    'エージェントがステージした内容は拒否されました。インデックスに作業場所の外を指す名前があるか、壊れています。',
  repositoryElsewhere:
    '{folder} のリポジトリは {place} ですが、そこにこのフォルダーの記録がありません。このフォルダーのものなら: `git --git-dir {place} config core.worktree {folder}`',
  objectsElsewhere:
    '{folder} のリポジトリは {place} のオブジェクトを借りていますが、サンドボックスからは見えません。そのフォルダーを許可するか、`git repack -a -d` で借用を終えてください。',
  branchMovedByOther:
    'その間に別の人がブランチを動かしました。エージェントのコミットは {branch} にあります。',
  fileAltered: '{file} が、エージェントの作業前と変わっています。確認して、元に戻してください。',
  filesChange: 'ファイルが変わり続けています。',
  repositoryGone: 'これらのファイルのリポジトリがありません。',
  pathEmpty: 'パスが空です。',
  pathTooLong: 'パスが {most} バイトを超えています。',
  pathControl: 'パスに制御文字が含まれています。',
  pathNoText: 'パスが正しい文字列ではありません。',
  pathNotYours:
    '{path} はプロジェクトのフォルダーにもコンソールのフォルダーにも含まれていません。その下のパスを指定してください。`projects.roots` が設定されていれば、管理者はその下を選べます。',
  pathOfSystem:
    '{path} はシステムまたはデータフォルダーのものです。エージェントはそこでは作業できません。',
  pathNoFolder: '{path} はフォルダーではありません。',
  folderNamed: '選ばれたフォルダーで、ワークツリーなしで作業します。',
  pathAbsolute: 'パスはルートやドライブから始められません。',
  pathTooDeep: 'パスの階層が {most} を超えています。',
  pathUpwards: 'パスで上の階層を指定することはできません。',
  pathGit: 'パスに .git は使えません。',
  pathNameTooLong: 'パスの中の名前が {most} バイトを超えています。',
  pathNameReserved: '{name} という名前は、システムによっては使えません。',
  pathLeadsOut: 'パスがフォルダーの外に出ています。',
  pathDeadLink: 'パスの途中のリンクが壊れています。',
  pathFile: 'パスの途中にフォルダーではなくファイルがあります。',
  settingsUsual: '設定は既定値です: {why}',
  noPathHere: 'ここにはフォルダーがありません: {why}',
  pathNotAbsolute: '{path} は絶対パスではありません',
  noProjectFile: 'プロジェクトのファイルがなかったため、名前は {id}、フォルダーは未設定です',
  chatsNotInFiles:
    'チャット、メンバー、トークン、エージェントはこれらのファイルに含まれません。エージェントを追加し、割り当て直してください',
  approvalRenumbered: '承認 {id} は、番号が使われていたため、ここでは {now} です',
  noApproachesFile: '試したことの記録ファイルがなかったため、何を試したかは分かりません',
  noHistoryFile:
    '作業セッションのファイルがなかったため、承認、以前のチェックポイント、再開元、タスクの本文は失われました',
  agentNotHere: 'エージェント {agent} はここにありません。追加されるまで、そのタスクは待機します',
  artifactNoFile: '{name}: ファイルがありません',
}

/** A refusal without a detail of its own has the code of the error. */
const titles = {
  words: Object.fromEntries(Object.entries(errors).map(([code, { title }]) => [code, title])),
}

export const translation: Translation = { wordings: [{ words }, refusals, titles], oldForms }
