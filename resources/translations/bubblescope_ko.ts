<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>Bubblescope</name>
    <message>
        <source> (and {n} more: see the Log)</source>
        <translation> (그 밖에 {n}개: 로그 참조)</translation>
    </message>
    <message>
        <source> (measured {time}, {change})</source>
        <translation> (측정 {time}, {change})</translation>
    </message>
    <message>
        <source> GB/s</source>
        <translation> GB/s</translation>
    </message>
    <message>
        <source> mm</source>
        <translation> mm</translation>
    </message>
    <message>
        <source> over {n} replicas: {sizes}</source>
        <translation> (복제본 {n}개: {sizes})</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source> rows</source>
        <translation> 행</translation>
    </message>
    <message>
        <source> µs</source>
        <translation> µs</translation>
    </message>
    <message>
        <source>--borders {a}: use rising numbers of blocks from 1 on, with commas, such as 3,7</source>
        <translation>--borders {a}: 1부터 커지는 블록 번호를 쉼표로 구분해 사용하세요(예: 3,7)</translation>
    </message>
    <message>
        <source>--borders {a}: {b} stages of {c} blocks need {d} numbers from 1 to {e}</source>
        <translation>--borders {a}: 블록 {c}개의 스테이지 {b}개에는 1~{e} 사이의 수 {d}개가 필요합니다</translation>
    </message>
    <message>
        <source>--lane-memory {a}: no cut of the model keeps within it; use {b} MB or more, or more lanes</source>
        <translation>--lane-memory {a}: 어떻게 나누어도 이 안에 들지 않습니다. {b} MB 이상 또는 더 많은 레인을 사용하세요</translation>
    </message>
    <message>
        <source>--model {a}: build() gave {b}; it must give an nn.Module, a list of blocks, one at least, or a configuration of transformers</source>
        <translation>--model {a}: build()가 {b}을(를) 주었습니다. nn.Module, 블록이 하나 이상인 목록 또는 transformers의 설정을 주어야 합니다</translation>
    </message>
    <message>
        <source>1 core a lane</source>
        <translation>레인당 코어 1개</translation>
    </message>
    <message>
        <source>1 forward : 1 backward-input : 1 backward-weight; no time for transfers. Run once to use measured costs.</source>
        <translation>순전파 1 : 입력 역전파 1 : 가중치 역전파 1, 전송 시간 없음. 측정한 비용을 쓰려면 한 번 실행하세요.</translation>
    </message>
    <message>
        <source>1 hit</source>
        <translation>결과 1개</translation>
    </message>
    <message>
        <source>1 if virtual, else shared evenly</source>
        <translation>가상 레인은 1, 그 밖에는 고르게 나눔</translation>
    </message>
    <message>
        <source>1 lane</source>
        <translation>레인 1개</translation>
    </message>
    <message>
        <source>1 measured step</source>
        <translation>측정 스텝 1개</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 행</translation>
    </message>
    <message>
        <source>1 run of this sitting is in no file yet.</source>
        <translation>이번 세션의 실행 1개가 아직 파일에 저장되지 않았습니다.</translation>
    </message>
    <message>
        <source>1 span</source>
        <translation>스팬 1개</translation>
    </message>
    <message>
        <source>1 span is cut</source>
        <translation>스팬 1개가 잘렸습니다</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>스텝 1개</translation>
    </message>
    <message>
        <source>1 step recorded</source>
        <translation>스텝 1개 기록됨</translation>
    </message>
    <message>
        <source>1 task still runs and is not counted.</source>
        <translation>작업 1개가 아직 실행 중이어서 집계되지 않습니다.</translation>
    </message>
    <message>
        <source>1F1B</source>
        <translation>1F1B</translation>
    </message>
    <message>
        <source>1F1B with several stages on each lane.</source>
        <translation>각 레인에 여러 스테이지를 두는 1F1B입니다.</translation>
    </message>
    <message>
        <source>1F1B with the weight gradients computed later.</source>
        <translation>가중치 변화도를 나중에 계산하는 1F1B입니다.</translation>
    </message>
    <message>
        <source>1f1b</source>
        <translation>1f1b</translation>
    </message>
    <message>
        <source>25 MiB</source>
        <translation>25 MiB</translation>
    </message>
    <message>
        <source>3, 2-4 or 10ms:40ms</source>
        <translation>3, 2-4 또는 10ms:40ms</translation>
    </message>
    <message>
        <source>5, or an epoch</source>
        <translation>5, 또는 한 에포크</translation>
    </message>
    <message>
        <source>99 % of the whole spans are no longer than this.</source>
        <translation>온전한 스팬의 99 %는 이보다 길지 않습니다.</translation>
    </message>
    <message>
        <source>99.9 MB</source>
        <translation>99.9 MB</translation>
    </message>
    <message>
        <source>A</source>
        <translation>A</translation>
    </message>
    <message>
        <source>A and B take {a} and {b}: the difference is within the scatter of their steps.</source>
        <translation>A와 B는 {a}, {b} 걸립니다: 차이는 스텝이 흔들리는 범위 안입니다.</translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}.</source>
        <translation>A와 B의 시간이 같습니다: {a}, {b}.</translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}: {reasons}.</source>
        <translation>A와 B의 시간이 같습니다({a}, {b}): {reasons}.</translation>
    </message>
    <message>
        <source>A collective that every rank has reached moves data.</source>
        <translation>모든 랭크가 도달한 집합 통신이 데이터를 옮깁니다.</translation>
    </message>
    <message>
        <source>A comparison of two runs</source>
        <translation>두 실행의 비교</translation>
    </message>
    <message>
        <source>A copy between lanes brings what the lane needs.</source>
        <translation>레인에 필요한 것을 레인 사이의 복사가 가져옵니다.</translation>
    </message>
    <message>
        <source>A copy or communication lane has nothing to carry: no loss in itself.</source>
        <translation>복사 또는 통신 레인이 옮길 것이 없습니다. 그 자체로는 손실이 아닙니다.</translation>
    </message>
    <message>
        <source>A kind of task that takes longer by a factor everywhere, such as backward:1.2; repeatable.</source>
        <translation>어디서나 지정한 배수만큼 오래 걸리는 작업 종류, 예: backward:1.2. 여러 번 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>A lane that computes longer by a factor, such as 2:1.5; repeatable.</source>
        <translation>지정한 배수만큼 오래 계산하는 레인, 예: 2:1.5. 여러 번 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>A lane&apos;s first pass in one measured step (the first is 1) takes so much longer, such as lane=2,step=4,ms=50; repeatable.</source>
        <translation>한 측정 스텝(첫 스텝은 1)에서 레인의 첫 패스가 그만큼 더 오래 걸립니다, 예: lane=2,step=4,ms=50. 여러 번 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>A lesson goes through a few steps that really run.</source>
        <translation>수업은 실제로 실행되는 몇 단계로 이루어집니다.</translation>
    </message>
    <message>
        <source>A line above the picture.</source>
        <translation>그림 위의 한 줄입니다.</translation>
    </message>
    <message>
        <source>A pipeline in each replica, gradients all-reduced.</source>
        <translation>각 복제본이 파이프라인이고, 변화도는 all-reduce합니다.</translation>
    </message>
    <message>
        <source>A process for each lane, overlapped all-reduce.</source>
        <translation>레인마다 프로세스 하나, 겹쳐서 실행하는 all-reduce.</translation>
    </message>
    <message>
        <source>A process for each lane, which holds a part of every parameter.</source>
        <translation>레인마다 프로세스 하나가 모든 매개변수의 일부를 가집니다.</translation>
    </message>
    <message>
        <source>A replica with more rows computes; on a lane without work, any lane computes. All of the wait counts, also what equal rows would not have spared.</source>
        <translation>행이 더 많은 복제본이 계산합니다. 일이 없는 레인에서는 아무 레인의 계산입니다. 행 수가 같아도 줄지 않았을 부분까지 대기 시간 전체를 셉니다.</translation>
    </message>
    <message>
        <source>A run is under way.</source>
        <translation>실행이 진행 중입니다.</translation>
    </message>
    <message>
        <source>A run is under way; the sweep can begin when it is over.</source>
        <translation>실행이 진행 중입니다. 끝나면 스윕을 시작할 수 있습니다.</translation>
    </message>
    <message>
        <source>A small GPT over bytes.</source>
        <translation>바이트 단위의 작은 GPT입니다.</translation>
    </message>
    <message>
        <source>A span far longer than those of its kind and part of the model on its lane.</source>
        <translation>같은 레인에서 종류와 모델 부분이 같은 다른 스팬보다 훨씬 긴 스팬.</translation>
    </message>
    <message>
        <source>A word alone is looked for in labels (F3, 2F1), kinds and names.</source>
        <translation>단어만 쓰면 레이블(F3, 2F1), 종류, 이름에서 찾습니다.</translation>
    </message>
    <message>
        <source>A, {steps}</source>
        <translation>A, {steps}</translation>
    </message>
    <message>
        <source>About {time} left.</source>
        <translation>약 {time} 남았습니다.</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>활성값</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>증가분</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>고급</translation>
    </message>
    <message>
        <source>Advisor</source>
        <translation>어드바이저</translation>
    </message>
    <message>
        <source>After the lane&apos;s last pass, other stages still compute.</source>
        <translation>이 레인의 마지막 패스 뒤에도 다른 스테이지가 계산합니다.</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>맞춤</translation>
    </message>
    <message>
        <source>Align here</source>
        <translation>여기에 맞춤</translation>
    </message>
    <message>
        <source>All computing, divided evenly over the lanes: the best that they can do.</source>
        <translation>모든 계산을 레인에 고르게 나눈 시간으로, 레인들이 낼 수 있는 최선입니다.</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>모든 파일 (*)</translation>
    </message>
    <message>
        <source>All forwards, then all backwards.</source>
        <translation>모든 순전파 뒤에 모든 역전파를 실행합니다.</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>모든 종류</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>모든 수준</translation>
    </message>
    <message>
        <source>All the rest: tasks that began late because of launch, Python or the system.</source>
        <translation>나머지 전부: 런치, Python 또는 시스템 때문에 늦게 시작한 작업입니다.</translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation>All-gather</translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation>All-reduce</translation>
    </message>
    <message>
        <source>Any lane</source>
        <translation>모든 레인</translation>
    </message>
    <message>
        <source>Arrows</source>
        <translation>화살표</translation>
    </message>
    <message>
        <source>As shown in the window</source>
        <translation>창에 보이는 대로</translation>
    </message>
    <message>
        <source>As the figure has it</source>
        <translation>그림 설정대로</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>시스템 설정</translation>
    </message>
    <message>
        <source>Attention heads; they must divide the width.</source>
        <translation>어텐션 헤드 수. 너비를 나누어떨어지게 해야 합니다.</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>축</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B is {by} ({share}) longer: {reasons}{settings}.</source>
        <translation>B가 {by} ({share}) 더 깁니다: {reasons}{settings}.</translation>
    </message>
    <message>
        <source>B is {by} ({share}) shorter: {reasons}{settings}.</source>
        <translation>B가 {by} ({share}) 더 짧습니다: {reasons}{settings}.</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>B, {steps}</source>
        <translation>B, {steps}</translation>
    </message>
    <message>
        <source>BUBBLE</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>뒤로</translation>
    </message>
    <message>
        <source>Back to the last view</source>
        <translation>이전 보기로</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>Backward-input</source>
        <translation>입력 역전파</translation>
    </message>
    <message>
        <source>Backward-weight</source>
        <translation>가중치 역전파</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>배치</translation>
    </message>
    <message>
        <source>Batch split</source>
        <translation>배치 분할</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>원인</translation>
    </message>
    <message>
        <source>Before the lane&apos;s first pass, an earlier stage computes what that pass needs.</source>
        <translation>이 레인의 첫 패스 전에, 그 패스에 필요한 것을 앞 스테이지가 계산합니다.</translation>
    </message>
    <message>
        <source>Beside</source>
        <translation>함께 실행</translation>
    </message>
    <message>
        <source>Between the lane&apos;s passes, another lane computes what the next one needs.</source>
        <translation>이 레인의 패스 사이에, 다음 패스에 필요한 것을 다른 레인이 계산합니다.</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>블록</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>블록</translation>
    </message>
    <message>
        <source>Bring {panel} to the front; again: hide it.</source>
        <translation>{panel} 패널을 앞으로 가져옵니다. 다시 누르면 숨깁니다.</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>Bubble before</source>
        <translation>이전 버블</translation>
    </message>
    <message>
        <source>Bubble by lane span</source>
        <translation>레인 구간 기준 버블</translation>
    </message>
    <message>
        <source>Bubble by makespan</source>
        <translation>총 소요 시간 기준 버블</translation>
    </message>
    <message>
        <source>Bubble by the formula</source>
        <translation>공식에 따른 버블</translation>
    </message>
    <message>
        <source>Bubble by the longest lane</source>
        <translation>가장 긴 레인 기준 버블</translation>
    </message>
    <message>
        <source>Bubble {bubble} with equal passes</source>
        <translation>패스 길이가 같을 때 버블 {bubble}</translation>
    </message>
    <message>
        <source>Bubble {n} of {count} by length: {length} on {lane}.</source>
        <translation>길이순 {count}개 중 {n}번째 버블: {lane}, {length}.</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>버킷</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>작업 중</translation>
    </message>
    <message>
        <source>By what share every task&apos;s time varies at random, by the seed.</source>
        <translation>모든 작업 시간이 시드에 따라 무작위로 달라지는 비율입니다.</translation>
    </message>
    <message>
        <source>Bytes of text in every row.</source>
        <translation>각 행의 텍스트 바이트 수입니다.</translation>
    </message>
    <message>
        <source>COMPUTE LANES: WORK, AND IDLE FOR</source>
        <translation>계산 레인: 작업과 유휴 원인</translation>
    </message>
    <message>
        <source>COPY AND COMMUNICATION LANES</source>
        <translation>복사 및 통신 레인</translation>
    </message>
    <message>
        <source>CPU cores that each lane computes with.</source>
        <translation>각 레인이 계산에 쓰는 CPU 코어 수입니다.</translation>
    </message>
    <message>
        <source>CRITICAL PATH</source>
        <translation>임계 경로</translation>
    </message>
    <message>
        <source>CRITICAL PATH · first {most} of {n} pieces</source>
        <translation>임계 경로 · {n}조각 중 처음 {most}조각</translation>
    </message>
    <message>
        <source>CRITICAL PATH · {n} pieces</source>
        <translation>임계 경로 · {n}조각</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>취소</translation>
    </message>
    <message>
        <source>Cancelled. {costs}</source>
        <translation>취소되었습니다. {costs}</translation>
    </message>
    <message>
        <source>Caption</source>
        <translation>캡션</translation>
    </message>
    <message>
        <source>Causes of {explained} of {steps} steps.</source>
        <translation>스텝 {steps}개 중 {explained}개의 원인입니다.</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>변화</translation>
    </message>
    <message>
        <source>Change between light and dark colours.</source>
        <translation>밝은 색과 어두운 색을 전환합니다.</translation>
    </message>
    <message>
        <source>Chart of the steps</source>
        <translation>스텝 차트</translation>
    </message>
    <message>
        <source>Chimera</source>
        <translation>Chimera</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>파일 선택</translation>
    </message>
    <message>
        <source>Choose a link speed first.</source>
        <translation>먼저 링크 속도를 선택하세요.</translation>
    </message>
    <message>
        <source>Choose a strategy on the left and press Run (F5).</source>
        <translation>왼쪽에서 전략을 선택하고 실행(F5)을 누르세요.</translation>
    </message>
    <message>
        <source>Choose how much slower it is first.</source>
        <translation>먼저 얼마나 느린지 선택하세요.</translation>
    </message>
    <message>
        <source>Choose one in Help &gt; Lessons, or on the first page.</source>
        <translation>도움말 &gt; 수업 또는 첫 페이지에서 고르세요.</translation>
    </message>
    <message>
        <source>Choose the colour of {family}</source>
        <translation>{family} 색 선택</translation>
    </message>
    <message>
        <source>Choose the colours of forward, backward and the others.</source>
        <translation>순전파, 역전파와 그 밖의 색을 선택합니다.</translation>
    </message>
    <message>
        <source>Choose the lane above.</source>
        <translation>위쪽 레인을 선택합니다.</translation>
    </message>
    <message>
        <source>Choose the lane below; what follows acts on it.</source>
        <translation>아래쪽 레인을 선택합니다. 다음 명령은 이 레인에 적용됩니다.</translation>
    </message>
    <message>
        <source>Choose the lane.</source>
        <translation>레인을 선택합니다.</translation>
    </message>
    <message>
        <source>Chosen for the figure</source>
        <translation>그림에 맞게 자동 선택</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>청크</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>목록 지우기</translation>
    </message>
    <message>
        <source>Clear the selection; with nothing selected, leave the comparison.</source>
        <translation>선택을 지웁니다. 선택한 것이 없으면 비교를 끝냅니다.</translation>
    </message>
    <message>
        <source>Click</source>
        <translation>클릭</translation>
    </message>
    <message>
        <source>Click for the longest of them.</source>
        <translation>클릭하면 가장 긴 것을 봅니다.</translation>
    </message>
    <message>
        <source>Click on a flag</source>
        <translation>깃발 클릭</translation>
    </message>
    <message>
        <source>Click on a group&apos;s heading</source>
        <translation>그룹 제목 클릭</translation>
    </message>
    <message>
        <source>Click on a lane&apos;s name</source>
        <translation>레인 이름 클릭</translation>
    </message>
    <message>
        <source>Click to see why.</source>
        <translation>클릭하면 이유를 봅니다.</translation>
    </message>
    <message>
        <source>Clock known to</source>
        <translation>시계 정밀도</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>닫기</translation>
    </message>
    <message>
        <source>Close Bubblescope</source>
        <translation>Bubblescope 닫기</translation>
    </message>
    <message>
        <source>Close tab</source>
        <translation>탭 닫기</translation>
    </message>
    <message>
        <source>Close the message</source>
        <translation>메시지 닫기</translation>
    </message>
    <message>
        <source>Close the run that is shown; it goes on, and stays in the Runs panel.</source>
        <translation>보이는 실행을 닫습니다. 실행은 계속되며 실행 패널에 남습니다.</translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation>검색 닫기 (Esc)</translation>
    </message>
    <message>
        <source>Close this message.</source>
        <translation>이 메시지를 닫습니다.</translation>
    </message>
    <message>
        <source>Close this tab; the run stays in the Runs panel. (Ctrl+W)</source>
        <translation>이 탭을 닫습니다. 실행은 실행 패널에 남습니다. (Ctrl+W)</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>저장하지 않고 닫기</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>{title} 닫기</translation>
    </message>
    <message>
        <source>Closed form</source>
        <translation>닫힌 식</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>집합 통신</translation>
    </message>
    <message>
        <source>Collectives beside the gradients that they wait for</source>
        <translation>집합 통신과 그것이 기다리는 변화도</translation>
    </message>
    <message>
        <source>Collectives that every rank has reached.</source>
        <translation>모든 랭크가 도달한 집합 통신입니다.</translation>
    </message>
    <message>
        <source>Colour bars by how long they took.</source>
        <translation>걸린 시간에 따라 막대 색을 정합니다.</translation>
    </message>
    <message>
        <source>Colour bars by their micro-batch.</source>
        <translation>마이크로배치에 따라 막대 색을 정합니다.</translation>
    </message>
    <message>
        <source>Colour bars by their stage.</source>
        <translation>스테이지에 따라 막대 색을 정합니다.</translation>
    </message>
    <message>
        <source>Colour bars by what they do: forward, backward, communication…</source>
        <translation>하는 일에 따라 막대 색을 정합니다: 순전파, 역전파, 통신…</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>색 기준</translation>
    </message>
    <message>
        <source>Colour of {family}, as #rrggbb</source>
        <translation>{family} 색, #rrggbb 형식</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>색</translation>
    </message>
    <message>
        <source>Colours and patterns</source>
        <translation>색과 무늬</translation>
    </message>
    <message>
        <source>Colours only, as in the window.</source>
        <translation>창에서처럼 색만 사용합니다.</translation>
    </message>
    <message>
        <source>Colours…</source>
        <translation>색…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>명령</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>명령</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>통신</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Compare DP with DDP</source>
        <translation>DP와 DDP 비교</translation>
    </message>
    <message>
        <source>Compare every loss and gradient with the plain whole-batch step.</source>
        <translation>모든 손실과 변화도를 전체 배치의 일반 스텝과 비교합니다.</translation>
    </message>
    <message>
        <source>Compare with…</source>
        <translation>비교할 대상…</translation>
    </message>
    <message>
        <source>Compare {run} with:</source>
        <translation>{run}의 비교 대상:</translation>
    </message>
    <message>
        <source>Comparing two large steps…</source>
        <translation>큰 스텝 두 개를 비교하는 중…</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>비교</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>Copied as an image and as SVG.</source>
        <translation>이미지와 SVG로 복사했습니다.</translation>
    </message>
    <message>
        <source>Copied the statistics as CSV.</source>
        <translation>통계를 CSV로 복사했습니다.</translation>
    </message>
    <message>
        <source>Copied the statistics as Markdown.</source>
        <translation>통계를 Markdown으로 복사했습니다.</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>Copy and communication lanes</source>
        <translation>복사 및 통신 레인</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>복사 형식</translation>
    </message>
    <message>
        <source>Copy as plain numbers for a spreadsheet.</source>
        <translation>스프레드시트용으로 숫자만 복사합니다.</translation>
    </message>
    <message>
        <source>Copy exactly what is visible, as an image and as SVG.</source>
        <translation>보이는 그대로 이미지와 SVG로 복사합니다.</translation>
    </message>
    <message>
        <source>Copy statistics as CSV</source>
        <translation>통계를 CSV로 복사</translation>
    </message>
    <message>
        <source>Copy statistics as Markdown</source>
        <translation>통계를 Markdown으로 복사</translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as plain numbers.</source>
        <translation>선택한 범위의 수치를 숫자만 복사합니다.</translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as tables.</source>
        <translation>선택한 범위의 수치를 표로 복사합니다.</translation>
    </message>
    <message>
        <source>Copy the tables as text.</source>
        <translation>표를 텍스트로 복사합니다.</translation>
    </message>
    <message>
        <source>Copy visible range</source>
        <translation>보이는 범위 복사</translation>
    </message>
    <message>
        <source>Cores per lane</source>
        <translation>레인당 코어</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>비용</translation>
    </message>
    <message>
        <source>Costs (*.json *.toml)</source>
        <translation>비용 (*.json *.toml)</translation>
    </message>
    <message>
        <source>Costs (*.json)</source>
        <translation>비용 (*.json)</translation>
    </message>
    <message>
        <source>Costs {source}; {steps}.</source>
        <translation>비용: {source}; {steps}.</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>개수</translation>
    </message>
    <message>
        <source>Count time from the run&apos;s start.</source>
        <translation>실행 시작부터 시간을 셉니다.</translation>
    </message>
    <message>
        <source>Count time from the start of the step on screen.</source>
        <translation>화면에 있는 스텝의 시작부터 시간을 셉니다.</translation>
    </message>
    <message>
        <source>Counting was cancelled. Select a range to count it.</source>
        <translation>집계가 취소되었습니다. 집계하려면 범위를 선택하세요.</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>집계 중…</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>임계 경로</translation>
    </message>
    <message>
        <source>Ctrl + wheel</source>
        <translation>Ctrl + 휠</translation>
    </message>
    <message>
        <source>DDP on 8 virtual ranks</source>
        <translation>가상 랭크 8개의 DDP</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>어둡게</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>어두운 색</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>데이터</translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation>데이터 병렬</translation>
    </message>
    <message>
        <source>Data parallel on 8 virtual lanes</source>
        <translation>가상 레인 8개의 데이터 병렬</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>삭제</translation>
    </message>
    <message>
        <source>Delete mark</source>
        <translation>표시 삭제</translation>
    </message>
    <message>
        <source>Delete the mark that one is at.</source>
        <translation>현재 위치의 표시를 삭제합니다.</translation>
    </message>
    <message>
        <source>Deleted a mark; Ctrl+Z brings it back.</source>
        <translation>표시를 삭제했습니다. Ctrl+Z로 되돌립니다.</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>깊이</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>세부 정보</translation>
    </message>
    <message>
        <source>Details of the selection</source>
        <translation>선택 항목의 세부 정보</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>Devices of a node</source>
        <translation>노드의 장치 수</translation>
    </message>
    <message>
        <source>Devices of a node, where their names do not tell the host:</source>
        <translation>이름으로 호스트를 알 수 없을 때 노드의 장치 수:</translation>
    </message>
    <message>
        <source>Devices of a node…</source>
        <translation>노드의 장치 수…</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>차이</translation>
    </message>
    <message>
        <source>Differences between run A and run B</source>
        <translation>실행 A와 실행 B의 차이</translation>
    </message>
    <message>
        <source>Distributed data parallel</source>
        <translation>분산 데이터 병렬</translation>
    </message>
    <message>
        <source>Do not measure what tasks cost before the first measured step.</source>
        <translation>첫 측정 스텝 전에 작업 비용을 측정하지 않습니다.</translation>
    </message>
    <message>
        <source>Do not open this recording; nothing is left behind.</source>
        <translation>이 기록을 열지 않습니다. 아무것도 남지 않습니다.</translation>
    </message>
    <message>
        <source>Double-click</source>
        <translation>두 번 클릭</translation>
    </message>
    <message>
        <source>Double-click or press Enter to run this.</source>
        <translation>두 번 클릭하거나 Enter 키를 누르면 실행합니다.</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>끌기</translation>
    </message>
    <message>
        <source>Drag from the axis</source>
        <translation>축에서 끌기</translation>
    </message>
    <message>
        <source>Drag of a lane&apos;s name</source>
        <translation>레인 이름 끌기</translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range first.</source>
        <translation>먼저 레인 위를 끌어 범위를 선택하세요.</translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range: busy, communication and idle time of the lanes that you drag over stand here, and the durations of their spans. Drag along the axis for all lanes.</source>
        <translation>레인 위를 끌어 범위를 선택하면, 그 레인들의 작업, 통신, 유휴 시간과 스팬의 길이가 여기에 나타납니다. 모든 레인을 보려면 축을 따라 끄세요.</translation>
    </message>
    <message>
        <source>Draw an arrow for each dependency between lanes on screen.</source>
        <translation>화면에 있는 레인 사이의 의존 관계마다 화살표를 그립니다.</translation>
    </message>
    <message>
        <source>Draw both compared steps equally long; again: in true time.</source>
        <translation>비교하는 두 스텝을 같은 길이로 그립니다. 다시 누르면 실제 시간으로 그립니다.</translation>
    </message>
    <message>
        <source>DualPipeV</source>
        <translation>DualPipeV</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>Durations of whole spans</source>
        <translation>온전한 스팬의 길이</translation>
    </message>
    <message>
        <source>Durations: &gt;5ms &lt;=10us. Either of two: stage:0|2. Not: -kind:copy.</source>
        <translation>길이: &gt;5ms &lt;=10us. 둘 중 하나: stage:0|2. 제외: -kind:copy.</translation>
    </message>
    <message>
        <source>EACH COMPUTE LANE</source>
        <translation>각 계산 레인</translation>
    </message>
    <message>
        <source>Each task is then measured alone, so nothing is shared: the strategy itself.</source>
        <translation>그러면 각 작업을 단독으로 측정하므로 공유되는 것이 없고, 전략 자체를 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Each value that you try becomes a point here, as soon as it has been run. Click a point to open its run.</source>
        <translation>시험하는 각 값은 실행되는 대로 여기에 점으로 나타납니다. 점을 클릭하면 그 실행을 엽니다.</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>이전 시간으로</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>메모 편집</translation>
    </message>
    <message>
        <source>End comparison</source>
        <translation>비교 끝내기</translation>
    </message>
    <message>
        <source>End the engine and close the window.</source>
        <translation>엔진을 끝내고 창을 닫습니다.</translation>
    </message>
    <message>
        <source>End to end</source>
        <translation>끝에서 끝</translation>
    </message>
    <message>
        <source>End to start</source>
        <translation>끝에서 시작</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>같게</translation>
    </message>
    <message>
        <source>Equal lengths</source>
        <translation>같은 길이</translation>
    </message>
    <message>
        <source>Esc in the field above the names shows all lanes.</source>
        <translation>이름 위 입력란에서 Esc 키를 누르면 모든 레인을 표시합니다.</translation>
    </message>
    <message>
        <source>Every lane gets a row: what it computes, what it moves, and why it waits.</source>
        <translation>레인마다 한 행이 있습니다: 무엇을 계산하고, 무엇을 옮기고, 왜 기다리는지.</translation>
    </message>
    <message>
        <source>Every lane has a slice of each layer.</source>
        <translation>모든 레인이 각 계층의 한 조각을 가집니다.</translation>
    </message>
    <message>
        <source>Everything was ready, but the work was late: launch, Python, contention.</source>
        <translation>모든 것이 준비되었지만 작업이 늦었습니다: 런치, Python, 경합.</translation>
    </message>
    <message>
        <source>Exactly the time on screen.</source>
        <translation>화면에 있는 시간만 그대로.</translation>
    </message>
    <message>
        <source>Explain it</source>
        <translation>설명하기</translation>
    </message>
    <message>
        <source>Explain this trace by steps: each mark begins one, which lasts until the next mark, and the last one until its mark ends.</source>
        <translation>이 트레이스를 스텝별로 설명합니다: 표시마다 스텝이 시작되어 다음 표시까지, 마지막 스텝은 그 표시가 끝날 때까지 이어집니다.</translation>
    </message>
    <message>
        <source>Explaining…</source>
        <translation>설명하는 중…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>내보내기</translation>
    </message>
    <message>
        <source>Export comparison</source>
        <translation>비교 내보내기</translation>
    </message>
    <message>
        <source>Export comparison…</source>
        <translation>비교 내보내기…</translation>
    </message>
    <message>
        <source>Export figure</source>
        <translation>그림 내보내기</translation>
    </message>
    <message>
        <source>Export figure…</source>
        <translation>그림 내보내기…</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>보고서 내보내기</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>보고서 내보내기…</translation>
    </message>
    <message>
        <source>Export spans as CSV…</source>
        <translation>스팬을 CSV로 내보내기…</translation>
    </message>
    <message>
        <source>Export visible range…</source>
        <translation>보이는 범위 내보내기…</translation>
    </message>
    <message>
        <source>Exported {name}.</source>
        <translation>{name}(으)로 내보냈습니다.</translation>
    </message>
    <message>
        <source>FROM IDEAL TO MEASURED · ms</source>
        <translation>이상에서 측정까지 · ms</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time} in one run.</source>
        <translation>가장 빠름: {setting}, 한 번 실행에서 {time}.</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}.</source>
        <translation>가장 빠름: {setting}, {time}.</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {count} others.</source>
        <translation>가장 빠름: {setting}, {time}. 다른 {count}개와 확실한 차이는 없습니다.</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {others}.</source>
        <translation>가장 빠름: {setting}, {time}. 확실한 차이가 없는 것: {others}.</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>결함</translation>
    </message>
    <message>
        <source>Faults are put into virtual lanes alone, such as 8xvirtual.</source>
        <translation>결함은 8xvirtual 같은 가상 레인에만 넣을 수 있습니다.</translation>
    </message>
    <message>
        <source>Features in every layer.</source>
        <translation>각 계층의 특성 수입니다.</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>그림</translation>
    </message>
    <message>
        <source>Figures are of</source>
        <translation>수치의 출처</translation>
    </message>
    <message>
        <source>File</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>Files stay as they are.</source>
        <translation>파일은 그대로 남습니다.</translation>
    </message>
    <message>
        <source>Filter lanes</source>
        <translation>레인 필터</translation>
    </message>
    <message>
        <source>Filter lanes by name</source>
        <translation>이름으로 레인 필터</translation>
    </message>
    <message>
        <source>Filter lanes…</source>
        <translation>레인 필터…</translation>
    </message>
    <message>
        <source>Find a command…</source>
        <translation>명령 찾기…</translation>
    </message>
    <message>
        <source>Find anything that can be done by a few letters.</source>
        <translation>글자 몇 개로 할 수 있는 모든 것을 찾습니다.</translation>
    </message>
    <message>
        <source>Find spans by kind, micro-batch, stage, lane, step, name or duration.</source>
        <translation>종류, 마이크로배치, 스테이지, 레인, 스텝, 이름 또는 길이로 스팬을 찾습니다.</translation>
    </message>
    <message>
        <source>Find the longest bubble</source>
        <translation>가장 긴 버블 찾기</translation>
    </message>
    <message>
        <source>First page</source>
        <translation>첫 페이지</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>맞추기</translation>
    </message>
    <message>
        <source>Fit a span or an idle gap.</source>
        <translation>스팬이나 유휴 구간을 화면에 맞춥니다.</translation>
    </message>
    <message>
        <source>Fit the selection; again, or without one, everything, the lanes&apos; height too.</source>
        <translation>선택 항목을 화면에 맞춥니다. 다시 누르거나 선택이 없으면 레인 높이까지 전체를 맞춥니다.</translation>
    </message>
    <message>
        <source>Fold all groups</source>
        <translation>모든 그룹 접기</translation>
    </message>
    <message>
        <source>Fold or open the group</source>
        <translation>그룹 접기/펼치기</translation>
    </message>
    <message>
        <source>Fold the chosen lane&apos;s group into one row, or open it.</source>
        <translation>선택한 레인의 그룹을 한 행으로 접거나 펼칩니다.</translation>
    </message>
    <message>
        <source>Fold the group, or open it.</source>
        <translation>그룹을 접거나 펼칩니다.</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>따라가기</translation>
    </message>
    <message>
        <source>For</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>Forward again</source>
        <translation>다음 보기로</translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation>순전파와 역전파</translation>
    </message>
    <message>
        <source>Forward {forward} and backward {backward}</source>
        <translation>순전파 {forward} 및 역전파 {backward}</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>파일에서…</translation>
    </message>
    <message>
        <source>From the ideal step to this one</source>
        <translation>이상적 스텝에서 이 스텝까지</translation>
    </message>
    <message>
        <source>From {first} to {last}: {length}</source>
        <translation>{first}부터 {last}까지: {length}</translation>
    </message>
    <message>
        <source>From {name}</source>
        <translation>파일: {name}</translation>
    </message>
    <message>
        <source>From {name}.</source>
        <translation>출처: {name}.</translation>
    </message>
    <message>
        <source>From, to</source>
        <translation>시작, 끝</translation>
    </message>
    <message>
        <source>Fully sharded data parallel</source>
        <translation>완전 샤딩 데이터 병렬</translation>
    </message>
    <message>
        <source>GB each second between two devices, in place of the costs&apos;.</source>
        <translation>두 장치 사이의 초당 GB이며, 비용의 값을 대신합니다.</translation>
    </message>
    <message>
        <source>GPT</source>
        <translation>GPT</translation>
    </message>
    <message>
        <source>GPipe</source>
        <translation>GPipe</translation>
    </message>
    <message>
        <source>Gather</source>
        <translation>모으기</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>Go back to the bubble that was longer.</source>
        <translation>더 길었던 버블로 돌아갑니다.</translation>
    </message>
    <message>
        <source>Go back to the step before.</source>
        <translation>이전 단계로 돌아갑니다.</translation>
    </message>
    <message>
        <source>Go on to what comes next.</source>
        <translation>다음으로 넘어갑니다.</translation>
    </message>
    <message>
        <source>Go to</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>Go to the mark before.</source>
        <translation>이전 표시로 이동합니다.</translation>
    </message>
    <message>
        <source>Go to the next mark.</source>
        <translation>다음 표시로 이동합니다.</translation>
    </message>
    <message>
        <source>Go to the present and stay with it, at this zoom.</source>
        <translation>현재로 이동해 이 확대 배율로 계속 머뭅니다.</translation>
    </message>
    <message>
        <source>Go to the view that you came back from.</source>
        <translation>돌아오기 전의 보기로 이동합니다.</translation>
    </message>
    <message>
        <source>Gradient error, largest</source>
        <translation>변화도 오차, 최대</translation>
    </message>
    <message>
        <source>Gradients are all-reduced bucket by bucket while the backward pass still runs.</source>
        <translation>역전파가 아직 실행되는 동안 변화도를 버킷별로 all-reduce합니다.</translation>
    </message>
    <message>
        <source>Greyscale</source>
        <translation>회색조</translation>
    </message>
    <message>
        <source>Group by the next one</source>
        <translation>다음 기준으로 그룹화</translation>
    </message>
    <message>
        <source>Group lanes by</source>
        <translation>레인 그룹 기준</translation>
    </message>
    <message>
        <source>Group the lanes by the next of these.</source>
        <translation>레인을 다음 기준으로 그룹화합니다.</translation>
    </message>
    <message>
        <source>HTML report (*.html)</source>
        <translation>HTML 보고서 (*.html)</translation>
    </message>
    <message>
        <source>Half of the whole spans are no longer than this.</source>
        <translation>온전한 스팬의 절반은 이보다 길지 않습니다.</translation>
    </message>
    <message>
        <source>Hardware and versions</source>
        <translation>하드웨어와 버전</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>Held up by</source>
        <translation>막은 작업</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>도움말</translation>
    </message>
    <message>
        <source>Hiccup</source>
        <translation>일시 지연</translation>
    </message>
    <message>
        <source>Higher lanes</source>
        <translation>레인 높이기</translation>
    </message>
    <message>
        <source>Histogram of durations</source>
        <translation>길이 히스토그램</translation>
    </message>
    <message>
        <source>How each lane spends its time and memory appears here with the first step.</source>
        <translation>각 레인이 시간과 메모리를 어떻게 쓰는지 첫 스텝과 함께 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>How far the optimizer goes in every step.</source>
        <translation>매 스텝에 옵티마이저가 나아가는 정도입니다.</translation>
    </message>
    <message>
        <source>How fast the clock of virtual lanes runs at most, beside a real one: 0.1 to watch.</source>
        <translation>가상 레인의 시계가 실제 시계에 비해 최대로 빠른 정도입니다. 지켜보려면 0.1.</translation>
    </message>
    <message>
        <source>How long each step is.</source>
        <translation>각 스텝의 길이입니다.</translation>
    </message>
    <message>
        <source>How long every step takes appears here with the first whole step.</source>
        <translation>모든 스텝의 소요 시간이 첫 온전한 스텝과 함께 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>How many micro-batches, where the strategy makes some.</source>
        <translation>마이크로배치를 만드는 전략에서 그 개수입니다.</translation>
    </message>
    <message>
        <source>How many times as long the slow lane computes.</source>
        <translation>느린 레인의 계산이 몇 배 걸리는지입니다.</translation>
    </message>
    <message>
        <source>How much of the steps each lane is idle.</source>
        <translation>각 레인이 스텝에서 유휴인 비율입니다.</translation>
    </message>
    <message>
        <source>How often each value is run.</source>
        <translation>각 값을 실행하는 횟수입니다.</translation>
    </message>
    <message>
        <source>How the work is divided among the lanes.</source>
        <translation>작업을 레인에 나누는 방법입니다.</translation>
    </message>
    <message>
        <source>IDLE BY CAUSE · share of all lanes&apos; time</source>
        <translation>원인별 유휴 · 모든 레인 시간 대비 비율</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>유휴</translation>
    </message>
    <message>
        <source>Idle part of the longest lane&apos;s own span.</source>
        <translation>가장 긴 레인의 자체 구간 중 유휴 부분입니다.</translation>
    </message>
    <message>
        <source>Idle share</source>
        <translation>유휴 비율</translation>
    </message>
    <message>
        <source>Idle time</source>
        <translation>유휴 시간</translation>
    </message>
    <message>
        <source>Idle time as a share of the range.</source>
        <translation>범위에서 유휴 시간의 비율입니다.</translation>
    </message>
    <message>
        <source>Idle time by cause</source>
        <translation>원인별 유휴 시간</translation>
    </message>
    <message>
        <source>Idle time in steps whose causes were not worked out.</source>
        <translation>원인을 알아내지 못한 스텝의 유휴 시간입니다.</translation>
    </message>
    <message>
        <source>Idle time of all lanes over lanes times makespan.</source>
        <translation>모든 레인의 유휴 시간을 레인 수와 총 소요 시간의 곱으로 나눈 값입니다.</translation>
    </message>
    <message>
        <source>Idle time of each lane by cause</source>
        <translation>각 레인의 원인별 유휴 시간</translation>
    </message>
    <message>
        <source>Idle time of the compute lanes over lanes times makespan.</source>
        <translation>계산 레인의 유휴 시간을 레인 수와 총 소요 시간의 곱으로 나눈 값입니다.</translation>
    </message>
    <message>
        <source>Idle time of the lane that works longest, within its first start and last end.</source>
        <translation>가장 오래 일하는 레인의 첫 시작부터 마지막 끝까지 중 유휴 시간입니다.</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>이미지 크기</translation>
    </message>
    <message>
        <source>In per cent of A</source>
        <translation>A 대비 퍼센트</translation>
    </message>
    <message>
        <source>In range</source>
        <translation>범위 안</translation>
    </message>
    <message>
        <source>In short</source>
        <translation>요약</translation>
    </message>
    <message>
        <source>In step {step} lane {lane} took {taken} for {task} instead of {usual}: that cost {loss} ({share}) of this step.</source>
        <translation>스텝 {step}, 레인 {lane}: {task}에 {usual} 대신 {taken} 걸렸고, 이 스텝에서 {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>In which order every stage works through the micro-batches.</source>
        <translation>모든 스테이지가 마이크로배치를 처리하는 순서입니다.</translation>
    </message>
    <message>
        <source>Interleaved 1F1B</source>
        <translation>인터리브 1F1B</translation>
    </message>
    <message>
        <source>Interleaved 1F1B with the weight gradients computed later.</source>
        <translation>가중치 변화도를 나중에 계산하는 인터리브 1F1B입니다.</translation>
    </message>
    <message>
        <source>Interleaved zero bubble</source>
        <translation>인터리브 제로 버블</translation>
    </message>
    <message>
        <source>Into how many consecutive parts the model is cut.</source>
        <translation>모델을 연속된 몇 부분으로 자르는지입니다.</translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut, as even as can be.</source>
        <translation>배치를 되도록 고르게 몇 조각으로 자르는지입니다.</translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut.</source>
        <translation>배치를 몇 조각으로 자르는지입니다.</translation>
    </message>
    <message>
        <source>It began {time} earlier than predicted.</source>
        <translation>예측보다 {time} 일찍 시작했습니다.</translation>
    </message>
    <message>
        <source>It began {time} later than predicted.</source>
        <translation>예측보다 {time} 늦게 시작했습니다.</translation>
    </message>
    <message>
        <source>It belongs to no step.</source>
        <translation>어느 스텝에도 속하지 않습니다.</translation>
    </message>
    <message>
        <source>It has nothing more to do in this step.</source>
        <translation>이 스텝에서 더 할 일이 없습니다.</translation>
    </message>
    <message>
        <source>Its duration in such medians.</source>
        <translation>그 중앙값의 몇 배인지 나타냅니다.</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>지터</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>잇기</translation>
    </message>
    <message>
        <source>Join all matched tasks on screen by thin lines.</source>
        <translation>화면에서 짝지은 모든 작업을 가는 선으로 잇습니다.</translation>
    </message>
    <message>
        <source>Join tasks</source>
        <translation>작업 잇기</translation>
    </message>
    <message>
        <source>KIND:FACTOR</source>
        <translation>종류:배수</translation>
    </message>
    <message>
        <source>Keep the chosen lane at the top, or put it back.</source>
        <translation>선택한 레인을 맨 위에 고정하거나 되돌립니다.</translation>
    </message>
    <message>
        <source>Keep the last step as .npz: input, target, before/NAME, gradient/NAME.</source>
        <translation>마지막 스텝을 .npz로 남깁니다: input, target, before/NAME, gradient/NAME.</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>키와 마우스</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>종류</translation>
    </message>
    <message>
        <source>Kind in the histogram</source>
        <translation>히스토그램의 종류</translation>
    </message>
    <message>
        <source>Kinds</source>
        <translation>종류</translation>
    </message>
    <message>
        <source>Kinds of spans in the range</source>
        <translation>범위 안 스팬의 종류</translation>
    </message>
    <message>
        <source>LANE-LANE:FACTOR</source>
        <translation>레인-레인:배수</translation>
    </message>
    <message>
        <source>LANE:FACTOR</source>
        <translation>레인:배수</translation>
    </message>
    <message>
        <source>LAST RUNS</source>
        <translation>최근 실행</translation>
    </message>
    <message>
        <source>LESSONS</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Ladder from the ideal step to the measured one</source>
        <translation>이상적 스텝에서 측정 스텝까지의 단계</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>레인</translation>
    </message>
    <message>
        <source>Lane 0 also scatters, gathers and reduces; the others wait for it.</source>
        <translation>레인 0이 나누기, 모으기, 리듀스도 하며, 다른 레인은 기다립니다.</translation>
    </message>
    <message>
        <source>Lane {lane} computes for {most}, a lane on average for {mean}: that costs {loss} ({share}).</source>
        <translation>레인 {lane}의 계산은 {most}, 레인 평균은 {mean}: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Lane {lane} computes {factor} times as long as other lanes for the same: that costs {loss} ({share}).</source>
        <translation>레인 {lane}은(는) 같은 계산에 다른 레인의 {factor}배 걸립니다: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>레인</translation>
    </message>
    <message>
        <source>Lanes idle {idle}.</source>
        <translation>레인 유휴 {idle}.</translation>
    </message>
    <message>
        <source>Lanes idle {idle}: mostly {reason} ({share}).</source>
        <translation>레인 유휴 {idle}: 주로 {reason} ({share}).</translation>
    </message>
    <message>
        <source>Lanes in the range</source>
        <translation>범위 안의 레인</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>언어</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>큰 것부터</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>지연 시간</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>이후 시간으로</translation>
    </message>
    <message>
        <source>Lay the spans that are selected in both runs over each other; again: the steps&apos; starts.</source>
        <translation>두 실행에서 선택한 스팬을 서로 겹쳐 맞춥니다. 다시 누르면 스텝의 시작을 맞춥니다.</translation>
    </message>
    <message>
        <source>Layers of the model, each a block that a stage can take.</source>
        <translation>모델의 계층 수이며, 각 계층은 한 스테이지가 맡을 수 있는 블록입니다.</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>범례</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Lesson {n}: {title}</source>
        <translation>수업 {n}: {title}</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>수업</translation>
    </message>
    <message>
        <source>Let all lanes stand without headings.</source>
        <translation>모든 레인을 제목 없이 둡니다.</translation>
    </message>
    <message>
        <source>Let the lanes of a device stand together.</source>
        <translation>한 장치의 레인을 함께 둡니다.</translation>
    </message>
    <message>
        <source>Let the lanes of a host stand together, or of so many devices.</source>
        <translation>한 호스트의 레인, 또는 정한 수의 장치의 레인을 함께 둡니다.</translation>
    </message>
    <message>
        <source>Let the lanes that hold a replica stand together.</source>
        <translation>한 복제본을 가진 레인을 함께 둡니다.</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>수준</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>밝게</translation>
    </message>
    <message>
        <source>Linear layers of one width.</source>
        <translation>한 가지 너비의 선형 계층들입니다.</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>링크</translation>
    </message>
    <message>
        <source>Link speed</source>
        <translation>링크 속도</translation>
    </message>
    <message>
        <source>Load costs</source>
        <translation>비용 불러오기</translation>
    </message>
    <message>
        <source>Load…</source>
        <translation>불러오기…</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>로그</translation>
    </message>
    <message>
        <source>Longest bubble</source>
        <translation>가장 긴 버블</translation>
    </message>
    <message>
        <source>Longest bubble: {length} on {lane}.</source>
        <translation>가장 긴 버블: {lane}, {length}.</translation>
    </message>
    <message>
        <source>Looking for what limits a step…</source>
        <translation>스텝을 제한하는 것을 찾는 중…</translation>
    </message>
    <message>
        <source>Looped BFS</source>
        <translation>Looped BFS</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>Loss, first and last</source>
        <translation>손실, 처음과 마지막</translation>
    </message>
    <message>
        <source>Lower lanes</source>
        <translation>레인 낮추기</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>Make a figure for a slide or a paper: see it, save it, copy it.</source>
        <translation>슬라이드나 논문용 그림을 만듭니다: 보고, 저장하고, 복사합니다.</translation>
    </message>
    <message>
        <source>Make the lanes higher or lower.</source>
        <translation>레인을 높이거나 낮춥니다.</translation>
    </message>
    <message>
        <source>Make the lanes higher.</source>
        <translation>레인을 높입니다.</translation>
    </message>
    <message>
        <source>Make the lanes lower.</source>
        <translation>레인을 낮춥니다.</translation>
    </message>
    <message>
        <source>Makespan</source>
        <translation>총 소요 시간</translation>
    </message>
    <message>
        <source>Mark moment</source>
        <translation>시점 표시</translation>
    </message>
    <message>
        <source>Mark range</source>
        <translation>범위 표시</translation>
    </message>
    <message>
        <source>Mark the moment under the pointer, or the start of what is selected, and name it.</source>
        <translation>포인터 아래 시점이나 선택 항목의 시작을 표시하고 이름을 붙입니다.</translation>
    </message>
    <message>
        <source>Mark what is selected from start to end, and name it.</source>
        <translation>선택 항목을 시작부터 끝까지 표시하고 이름을 붙입니다.</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>표시</translation>
    </message>
    <message>
        <source>Marks of the run</source>
        <translation>실행의 표시</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>평균</translation>
    </message>
    <message>
        <source>Measure from here</source>
        <translation>여기서부터 재기</translation>
    </message>
    <message>
        <source>Measure from the selected span to another.</source>
        <translation>선택한 스팬에서 다른 스팬까지 잽니다.</translation>
    </message>
    <message>
        <source>Measure from the selected span to those selected next; again: no longer.</source>
        <translation>선택한 스팬에서 다음에 선택하는 스팬까지 잽니다. 다시 누르면 그만둡니다.</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Measured: {part}</source>
        <translation>측정: {part}</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>메시지</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>MiB of a bucket</source>
        <translation>버킷의 MiB</translation>
    </message>
    <message>
        <source>MiB of gradients that are reduced together.</source>
        <translation>함께 리듀스하는 변화도의 MiB입니다.</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>Micro-batches walk down the stages and back; lanes wait while the pipeline fills and drains.</source>
        <translation>마이크로배치가 스테이지를 내려갔다가 돌아옵니다. 파이프라인이 채워지고 비워지는 동안 레인은 기다립니다.</translation>
    </message>
    <message>
        <source>Microseconds that every transfer takes at least.</source>
        <translation>모든 전송에 최소한 걸리는 마이크로초입니다.</translation>
    </message>
    <message>
        <source>Middle drag, Shift + drag</source>
        <translation>가운데 버튼으로 끌기, Shift + 끌기</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>Model parallel</source>
        <translation>모델 병렬</translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation>마우스</translation>
    </message>
    <message>
        <source>Move back between form, timeline and panels.</source>
        <translation>양식, 타임라인, 패널 사이를 거꾸로 이동합니다.</translation>
    </message>
    <message>
        <source>Move between form, timeline and panels.</source>
        <translation>양식, 타임라인, 패널 사이를 이동합니다.</translation>
    </message>
    <message>
        <source>Move the chosen lane down within its group.</source>
        <translation>선택한 레인을 그룹 안에서 아래로 옮깁니다.</translation>
    </message>
    <message>
        <source>Move the chosen lane up within its group.</source>
        <translation>선택한 레인을 그룹 안에서 위로 옮깁니다.</translation>
    </message>
    <message>
        <source>Move the lane down</source>
        <translation>레인 아래로 이동</translation>
    </message>
    <message>
        <source>Move the lane up</source>
        <translation>레인 위로 이동</translation>
    </message>
    <message>
        <source>Move the lane within its group.</source>
        <translation>레인을 그룹 안에서 옮깁니다.</translation>
    </message>
    <message>
        <source>Move to a later time.</source>
        <translation>더 늦은 시간으로 이동합니다.</translation>
    </message>
    <message>
        <source>Move to an earlier time.</source>
        <translation>더 이른 시간으로 이동합니다.</translation>
    </message>
    <message>
        <source>Moves</source>
        <translation>이동량</translation>
    </message>
    <message>
        <source>Moving data costs {loss} ({share}).</source>
        <translation>데이터 이동: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Named in the field below.</source>
        <translation>아래 입력란에 적은 것입니다.</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>Names of spans in the range</source>
        <translation>범위 안 스팬의 이름</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>다음 결과</translation>
    </message>
    <message>
        <source>Next hit (Return)</source>
        <translation>다음 결과 (Return)</translation>
    </message>
    <message>
        <source>Next lane</source>
        <translation>다음 레인</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>다음 수업</translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation>다음 표시</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>창의 다음 부분</translation>
    </message>
    <message>
        <source>Next span</source>
        <translation>다음 스팬</translation>
    </message>
    <message>
        <source>Next span in run B</source>
        <translation>실행 B의 다음 스팬</translation>
    </message>
    <message>
        <source>Next tab</source>
        <translation>다음 탭</translation>
    </message>
    <message>
        <source>No colour at all; patterns and letters tell families apart.</source>
        <translation>색 없이 무늬와 글자로 종류를 구별합니다.</translation>
    </message>
    <message>
        <source>Nothing was odd about the file: all of it is shown.</source>
        <translation>파일에 이상한 점이 없습니다: 모두 표시합니다.</translation>
    </message>
    <message>
        <source>Of it overlapped</source>
        <translation>그중 겹침</translation>
    </message>
    <message>
        <source>Open a lesson of your own from a file: docs/lessons.md tells how to write one.</source>
        <translation>직접 만든 수업을 파일에서 엽니다: 만드는 법은 docs/lessons.md에 있습니다.</translation>
    </message>
    <message>
        <source>Open lesson</source>
        <translation>수업 열기</translation>
    </message>
    <message>
        <source>Open lesson…</source>
        <translation>수업 열기…</translation>
    </message>
    <message>
        <source>Outlier</source>
        <translation>이상값</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>이상값</translation>
    </message>
    <message>
        <source>Put the light on what this step is about.</source>
        <translation>이 단계에서 다루는 부분을 강조합니다.</translation>
    </message>
    <message>
        <source>QUESTION</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>Rank {lane} computes for {most}, a rank on average for {mean}: that costs {loss} ({share}).</source>
        <translation>rank {lane}은(는) {most} 동안 계산하고, rank 평균은 {mean}입니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {lane} computes {factor} times as long as other ranks for the same: that costs {loss} ({share}).</source>
        <translation>rank {lane}은(는) 같은 계산에 다른 rank의 {factor}배가 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} spends {own} a step on code outside of its model, loader and optimizer, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 스텝마다 모델, 로더, 옵티마이저 밖의 코드에 {own}을 쓰고, 다른 rank는 {usual}입니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for the backward pass of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 블록 {block}의 역전파에 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for the forward pass of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 블록 {block}의 순전파에 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for {work} of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 블록 {block}의 {work}에 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to compute block {block} again, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 블록 {block}을 다시 계산하는 데 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to compute the loss, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 손실 함수 계산에 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to update the model, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 모델 갱신에 {own}, 다른 rank는 {usual} 걸립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Rank {rank} waits {own} a step for its next batch, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank}은(는) 스텝마다 다음 배치를 {own}, 다른 rank는 {usual} 기다립니다: 손실 {loss} ({share}).</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>랭크</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>Run what the form says: {what}. (F5)</source>
        <translation>양식대로 실행합니다: {what}. (F5)</translation>
    </message>
    <message>
        <source>Run what this step is about; the settings in the form stay as they are.</source>
        <translation>이 단계의 내용을 실행합니다. 양식의 설정은 그대로입니다.</translation>
    </message>
    <message>
        <source>Run with several values of an option, and see which is the fastest.</source>
        <translation>한 옵션의 여러 값으로 실행해 어느 것이 가장 빠른지 봅니다.</translation>
    </message>
    <message>
        <source>Run {n} of {count} is under way…</source>
        <translation>실행 {n}/{count} 진행 중…</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>실행 중…</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 그림 (*.svg)</translation>
    </message>
    <message>
        <source>Same task in the next step</source>
        <translation>다음 스텝의 같은 작업</translation>
    </message>
    <message>
        <source>Same task in the step before</source>
        <translation>이전 스텝의 같은 작업</translation>
    </message>
    <message>
        <source>Sample: {name}</source>
        <translation>예제: {name}</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>예제</translation>
    </message>
    <message>
        <source>Save all…</source>
        <translation>모두 저장…</translation>
    </message>
    <message>
        <source>Select the span that the selected one, or most of the selected bubble, waited for.</source>
        <translation>선택한 스팬, 또는 선택한 버블의 대부분이 기다린 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Shortest and longest of {n} steps</source>
        <translation>스텝 {n}개 중 가장 짧은 것과 가장 긴 것</translation>
    </message>
    <message>
        <source>Show me where</source>
        <translation>위치 보기</translation>
    </message>
    <message>
        <source>Show the answer</source>
        <translation>답 보기</translation>
    </message>
    <message>
        <source>Show this run; a step takes so long in it.</source>
        <translation>이 실행을 표시합니다. 스텝에 이만큼 걸립니다.</translation>
    </message>
    <message>
        <source>Spans by kind or by name</source>
        <translation>종류별 또는 이름별 스팬</translation>
    </message>
    <message>
        <source>Start in run</source>
        <translation>실행 내 시작</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>{count}단계 중 {n}단계</translation>
    </message>
    <message>
        <source>The job&apos;s code outside of its model, loader and optimizer costs {loss} ({share}).</source>
        <translation>모델, 로더, 옵티마이저 밖의 작업 코드로 인한 손실은 {loss}입니다 ({share}).</translation>
    </message>
    <message>
        <source>The last mark lies behind the end of the trace.</source>
        <translation>마지막 표시가 트레이스의 끝보다 뒤에 있습니다.</translation>
    </message>
    <message>
        <source>The median of those.</source>
        <translation>그것들의 중앙값.</translation>
    </message>
    <message>
        <source>The next batch is not there yet: the job waits for what loads its data.</source>
        <translation>다음 배치가 아직 없습니다: 데이터를 불러오기를 기다립니다.</translation>
    </message>
    <message>
        <source>The run was stopped.</source>
        <translation>실행이 중지되었습니다.</translation>
    </message>
    <message>
        <source>The time is outside of every step, or after a job&apos;s update and before anything else of its next step.</source>
        <translation>이 시간은 모든 스텝 밖이거나, 작업의 갱신 뒤 다음 스텝의 다른 일이 시작되기 전입니다.</translation>
    </message>
    <message>
        <source>The whole step, from its start to its end.</source>
        <translation>시작부터 끝까지의 전체 스텝.</translation>
    </message>
    <message>
        <source>Think first; the answer comes from what ran.</source>
        <translation>먼저 생각해 보세요. 답은 실행한 결과에서 나옵니다.</translation>
    </message>
    <message>
        <source>Times usual</source>
        <translation>평소의 배수</translation>
    </message>
    <message>
        <source>Too many spans to tell names and outliers apart: select a shorter range.</source>
        <translation>스팬이 너무 많아 이름과 이상값을 구분할 수 없습니다: 더 짧은 범위를 고르세요.</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>트레이스</translation>
    </message>
    <message>
        <source>Traces of other programs (*.json *.json.gz *.sqlite *.pftrace *.perfetto-trace)</source>
        <translation>다른 프로그램의 트레이스 (*.json *.json.gz *.sqlite *.pftrace *.perfetto-trace)</translation>
    </message>
    <message>
        <source>Transfer alone</source>
        <translation>전송만</translation>
    </message>
    <message>
        <source>Updating the model costs {loss} ({share}).</source>
        <translation>모델 갱신으로 인한 손실은 {loss}입니다 ({share}).</translation>
    </message>
    <message>
        <source>Use as steps</source>
        <translation>스텝으로 사용</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>평소</translation>
    </message>
    <message>
        <source>Waiting for data</source>
        <translation>데이터 대기</translation>
    </message>
    <message>
        <source>Working out what ran…</source>
        <translation>실행 결과 계산 중…</translation>
    </message>
    <message>
        <source>a clock is out of bounds</source>
        <translation>시계가 범위를 벗어났습니다</translation>
    </message>
    <message>
        <source>a number has more than 64 bits</source>
        <translation>64비트를 넘는 수가 있습니다</translation>
    </message>
    <message>
        <source>an event has more than {a} bytes</source>
        <translation>이벤트가 {a}바이트를 넘습니다</translation>
    </message>
    <message>
        <source>an event that counts, or has an unusual form, has more than {a} bytes</source>
        <translation>계수 이벤트나 형식이 특이한 이벤트가 {a}바이트를 넘습니다</translation>
    </message>
    <message>
        <source>by kind</source>
        <translation>종류별</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>이름별</translation>
    </message>
    <message>
        <source>clocks were not compared for {a}: taken as rank 0&apos;s</source>
        <translation>{a}의 시계를 비교하지 않았습니다: 랭크 0의 시계로 봅니다</translation>
    </message>
    <message>
        <source>device {a} stream {b}</source>
        <translation>장치 {a} 스트림 {b}</translation>
    </message>
    <message>
        <source>it has more than {a}</source>
        <translation>{a}을(를) 넘습니다</translation>
    </message>
    <message>
        <source>it has more than {a} bytes</source>
        <translation>{a}바이트를 넘습니다</translation>
    </message>
    <message>
        <source>it was cut</source>
        <translation>잘렸습니다</translation>
    </message>
    <message>
        <source>its source is {a}, and its model has {b} blocks</source>
        <translation>출처가 {a}인데 모델에는 블록이 {b}개 있습니다</translation>
    </message>
    <message>
        <source>its tables refer to more rows than a file of its size can have</source>
        <translation>테이블이 이 크기의 파일에 있을 수 있는 것보다 많은 행을 참조합니다</translation>
    </message>
    <message>
        <source>its threads and their nested calls are more than {:,}</source>
        <translation>스레드와 중첩 호출이 {:,}개를 넘습니다</translation>
    </message>
    <message>
        <source>measured one task at a time, before each measured step</source>
        <translation>각 측정 스텝 전에 작업을 하나씩 측정함</translation>
    </message>
    <message>
        <source>measuring costs, pass {n} of at most {most}</source>
        <translation>비용 측정 중, 최대 {most}회 중 {n}회째</translation>
    </message>
    <message>
        <source>only the first {n}; add LIMIT</source>
        <translation>처음 {n}행만; LIMIT를 더하세요</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>재계산</translation>
    </message>
    <message>
        <source>starting rank {n} of {count}…</source>
        <translation>랭크 {count}개 중 {n}번째 시작 중…</translation>
    </message>
    <message>
        <source>the numbers of steps do not increase</source>
        <translation>스텝 번호가 커지지 않습니다</translation>
    </message>
    <message>
        <source>the whole trace</source>
        <translation>트레이스 전체</translation>
    </message>
    <message>
        <source>they have {a} lanes, and {b} can be shown</source>
        <translation>레인이 {a}개인데 {b}개를 표시할 수 있습니다</translation>
    </message>
    <message>
        <source>times are the host&apos;s: when work was launched, not when it ran</source>
        <translation>시간은 호스트의 것입니다: 실행한 때가 아니라 시작을 요청한 때입니다</translation>
    </message>
    <message>
        <source>times with a time zone cannot be told here: cast them, as in now()::TIMESTAMP</source>
        <translation>시간대가 있는 시각은 여기에 나타낼 수 없습니다: now()::TIMESTAMP처럼 바꾸세요</translation>
    </message>
    <message>
        <source>virtual lanes of {cores} cores: time that other programs take of a core counts as the tasks&apos;; lanes of one core leave it out</source>
        <translation>코어가 {cores}개인 가상 레인: 다른 프로그램이 코어를 쓴 시간이 작업 시간에 포함됩니다. 코어가 하나인 레인은 이를 뺍니다</translation>
    </message>
    <message>
        <source>waiting for lanes with more work</source>
        <translation>작업이 더 많은 레인 대기</translation>
    </message>
    <message>
        <source>waiting for the next batch of data</source>
        <translation>다음 데이터 배치 대기</translation>
    </message>
    <message>
        <source>waiting for {who}, with more work</source>
        <translation>작업이 더 많은 {who} 대기</translation>
    </message>
    <message>
        <source>waits for data</source>
        <translation>데이터를 기다림</translation>
    </message>
    <message>
        <source>wire type {a} is none of a trace</source>
        <translation>와이어 형식 {a}은(는) 트레이스의 것이 아닙니다</translation>
    </message>
    <message>
        <source>{a} (its clock was not compared: taken as rank 0&apos;s)</source>
        <translation>{a}(시계를 비교하지 않음: 랭크 0의 것으로 간주)</translation>
    </message>
    <message>
        <source>{a} cannot be read</source>
        <translation>{a}을(를) 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as a dump of the flight recorder</source>
        <translation>{a}을(를) 플라이트 레코더의 덤프로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as a folder of traces</source>
        <translation>{a}을(를) 트레이스 폴더로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as a trace of Perfetto</source>
        <translation>{a}을(를) Perfetto의 트레이스로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as an export of Nsight Systems</source>
        <translation>{a}을(를) Nsight Systems의 내보내기로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as one run</source>
        <translation>{a}을(를) 하나의 실행으로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} has arguments that cannot be read</source>
        <translation>{a}에 읽을 수 없는 인수가 있습니다</translation>
    </message>
    <message>
        <source>{a} has changed since it was opened</source>
        <translation>{a}이(가) 연 뒤에 바뀌었습니다</translation>
    </message>
    <message>
        <source>{a} has {b} traces; at most {c} are read</source>
        <translation>{a}에 트레이스가 {b}개 있습니다. 최대 {c}개를 읽습니다</translation>
    </message>
    <message>
        <source>{a} is refused: {b}</source>
        <translation>{a} 거절: {b}</translation>
    </message>
    <message>
        <source>{a} steps are not in every rank&apos;s file: they are left out</source>
        <translation>스텝 {a}개가 모든 랭크의 파일에 있지 않아 제외했습니다</translation>
    </message>
    <message>
        <source>{a} steps were left out: the device did not end them</source>
        <translation>스텝 {a}개를 제외했습니다: 장치가 끝내지 않았습니다</translation>
    </message>
    <message>
        <source>{a} steps were left out: they came faster than written</source>
        <translation>스텝 {a}개를 제외했습니다: 쓰기보다 빨리 왔습니다</translation>
    </message>
    <message>
        <source>{a}: it has no collective that says when it was called</source>
        <translation>{a}: 호출 시각이 있는 집합 통신이 없습니다</translation>
    </message>
    <message>
        <source>{a}: it has no kernel, call or range that says when it ran</source>
        <translation>{a}: 실행 시각이 있는 커널, 호출, 범위가 없습니다</translation>
    </message>
    <message>
        <source>{a}: it has no track event that says when it ran</source>
        <translation>{a}: 실행 시각이 있는 트랙 이벤트가 없습니다</translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes</source>
        <translation>레인 {lanes}개에서 스텝당 작업 {count}개</translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes (expected)</source>
        <translation>레인 {lanes}개에서 스텝당 작업 {count}개 (예상)</translation>
    </message>
    <message>
        <source>{lane}: {work} × the mean work</source>
        <translation>{lane}: 평균 작업의 {work}배</translation>
    </message>
    <message>
        <source>{lane}: {work} × the mean work, {memory} × the mean memory</source>
        <translation>{lane}: 평균 작업의 {work}배, 평균 메모리의 {memory}배</translation>
    </message>
    <message>
        <source>{length} from {start} since the run&apos;s start</source>
        <translation>실행 시작 후 {start}부터 {length}</translation>
    </message>
    <message>
        <source>{n}. {title}</source>
        <translation>{n}. {title}</translation>
    </message>
    <message>
        <source>{one}, but {other}</source>
        <translation>{one}, 반면 {other}</translation>
    </message>
    <message>
        <source>{option} {value}</source>
        <translation>{option} {value}</translation>
    </message>
    <message>
        <source>{other} excludes this: set it back to 0 to use this.</source>
        <translation>{other} 설정과 함께 쓸 수 없습니다. 이것을 쓰려면 그 설정을 0으로 되돌리세요.</translation>
    </message>
    <message>
        <source>{part} ({count} set)</source>
        <translation>{part} ({count}개 설정됨)</translation>
    </message>
    <message>
        <source>{ratio} (noise)</source>
        <translation>{ratio} (노이즈)</translation>
    </message>
    <message>
        <source>{result}
Click to open its run.</source>
        <translation>{result}
클릭하면 그 실행을 엽니다.</translation>
    </message>
    <message>
        <source>No lane is called “{name}”.</source>
        <translation>이름이 “{name}”인 레인이 없습니다.</translation>
    </message>
    <message>
        <source> (a | stands between values of one key: mb:2|5)</source>
        <translation> (|는 한 키의 값들 사이에 둡니다: mb:2|5)</translation>
    </message>
    <message>
        <source> (this is replica {a})</source>
        <translation> (여기는 복제본 {a})</translation>
    </message>
    <message>
        <source> cannot be imported</source>
        <translation> 임포트할 수 없음</translation>
    </message>
    <message>
        <source>--batch {a} of {b} needs at least {c} GB, but this machine has {d} GB: use fewer rows or a smaller model</source>
        <translation>--batch {a}: {b}에는 최소 {c} GB가 필요하지만 이 컴퓨터에는 {d} GB가 있습니다. 행 수를 줄이거나 더 작은 모델을 사용하세요</translation>
    </message>
    <message>
        <source>--blocks is not for {a}, whose ranks torch runs by itself; it is for {b}</source>
        <translation>--blocks: torch가 스스로 랭크를 실행하는 {a}에는 쓸 수 없습니다. {b}에 쓰는 옵션입니다</translation>
    </message>
    <message>
        <source>--chunks {a} is not for {b}, which says itself how many stages a lane holds</source>
        <translation>--chunks {a}: 레인당 스테이지 수를 스스로 정하는 {b}에는 쓸 수 없습니다</translation>
    </message>
    <message>
        <source>--data {a} is over {b} batches of {c} rows</source>
        <translation>--data {a}: {c}개 행의 배치 {b}개를 넘습니다</translation>
    </message>
    <message>
        <source>--depth {a}: the gpt takes 2 or more (at least 4 blocks in all)</source>
        <translation>--depth {a}: gpt는 2 이상이어야 합니다 (모두 4개 이상의 블록)</translation>
    </message>
    <message>
        <source>--devices {a} mixes kinds of devices; use one kind in a run</source>
        <translation>--devices {a}: 여러 종류의 장치가 섞여 있습니다. 한 실행에는 한 종류만 사용하세요</translation>
    </message>
    <message>
        <source>--devices {a}: explaining {b} lanes takes about {c} GB, more than an eighth of this machine&apos;s {d} GB; use at most {e} lanes</source>
        <translation>--devices {a}: 레인 {b}개를 설명하려면 약 {c} GB가 필요하며, 이는 이 컴퓨터의 {d} GB 중 1/8을 넘습니다. 레인을 최대 {e}개까지 사용하세요</translation>
    </message>
    <message>
        <source>--devices {a}: virtual lanes run alone, on one device; use 8xvirtual:cpu</source>
        <translation>--devices {a}: 가상 레인은 한 장치에서 단독으로 실행됩니다. 8xvirtual:cpu를 사용하세요</translation>
    </message>
    <message>
        <source>--devices {a}: {b} is no device; use {c}</source>
        <translation>--devices {a}: {b}은(는) 장치가 아닙니다. {c}을(를) 사용하세요</translation>
    </message>
    <message>
        <source>--devices {a}: {b} lanes; use 1 to {c}</source>
        <translation>--devices {a}: 레인 {b}개입니다. 1~{c}개를 사용하세요</translation>
    </message>
    <message>
        <source>--heads {a} do not divide --width {b}; use a divisor</source>
        <translation>--heads {a}: --width {b}을(를) 나누어떨어지게 하지 않습니다. 약수를 사용하세요</translation>
    </message>
    <message>
        <source>--image-size {a}: resnet50 takes 32 or more pixels</source>
        <translation>--image-size {a}: resnet50은 32픽셀 이상이어야 합니다</translation>
    </message>
    <message>
        <source>--link {a}: use a bandwidth above 0 GB/s</source>
        <translation>--link {a}: 0 GB/s보다 큰 대역폭을 사용하세요</translation>
    </message>
    <message>
        <source>--link {a}: use {b} or {c}, each number below 10^9</source>
        <translation>--link {a}: {b} 또는 {c}을(를) 사용하고, 각 수는 10^9 미만이어야 합니다</translation>
    </message>
    <message>
        <source>--model {a} has no {b}(): it needs build() and batch()</source>
        <translation>--model {a}: {b}()이(가) 없습니다. build()와 batch()가 필요합니다</translation>
    </message>
    <message>
        <source>--model {a}: batch({b}) must give input and target, tensors of {c} rows</source>
        <translation>--model {a}: batch({b})은(는) 입력과 타깃, 즉 {c}개 행의 Tensor를 반환해야 합니다</translation>
    </message>
    <message>
        <source>--model {a}: block {b} gave no tensor</source>
        <translation>--model {a}: 블록 {b}이(가) Tensor를 반환하지 않았습니다</translation>
    </message>
    <message>
        <source>--model {a}: build() gave a model without parameters to train</source>
        <translation>--model {a}: build()가 준 모델에 학습할 파라미터가 없습니다</translation>
    </message>
    <message>
        <source>--model {a}: build() gave a model without sizes of its parameters; name them</source>
        <translation>--model {a}: build()가 준 모델의 파라미터 크기가 없습니다. 지정하세요</translation>
    </message>
    <message>
        <source>--model {a}: loss is no function; use loss(output, target)</source>
        <translation>--model {a}: loss가 함수가 아닙니다. loss(output, target)을 사용하세요</translation>
    </message>
    <message>
        <source>--model {a}: loss() gave {b}; it must give a tensor of one number, the mean over rows</source>
        <translation>--model {a}: loss()가 {b}을(를) 반환했습니다. 행에 대한 평균인 수 하나의 Tensor를 반환해야 합니다</translation>
    </message>
    <message>
        <source>--model {a}: there is no such file</source>
        <translation>--model {a}: 그런 파일이 없습니다</translation>
    </message>
    <message>
        <source>--slow-kind {a}: use {b}</source>
        <translation>--slow-kind {a}: {b}을(를) 사용하세요</translation>
    </message>
    <message>
        <source>--slow-link {a}-{b}: name two different lanes</source>
        <translation>--slow-link {a}-{b}: 서로 다른 두 레인을 지정하세요</translation>
    </message>
    <message>
        <source>--split-size {a} makes {b} micro-batches of {c} rows; use a size that makes at most {d}</source>
        <translation>--split-size {a}: {c}개 행에서 마이크로배치 {b}개가 생깁니다. 최대 {d}개가 되는 크기를 사용하세요</translation>
    </message>
    <message>
        <source>--stages {a}: {b} is for {c} stages</source>
        <translation>--stages {a}: {b}은(는) 스테이지 {c}개용입니다</translation>
    </message>
    <message>
        <source>--{a} {b}: use a name that ends in {c}</source>
        <translation>--{a} {b}: {c}(으)로 끝나는 이름을 사용하세요</translation>
    </message>
    <message>
        <source>1 arrow lacks its beginning or its end.</source>
        <translation>화살표 1개에 시작이나 끝이 없습니다.</translation>
    </message>
    <message>
        <source>1 collective has no end time: it is shown as a moment.</source>
        <translation>집합 통신 1개에 끝난 시각이 없어 순간으로 표시합니다.</translation>
    </message>
    <message>
        <source>1 core a lane instead of {a}</source>
        <translation>레인당 코어 {a}개 대신 1개</translation>
    </message>
    <message>
        <source>1 event of a kind that is not shown is left out.</source>
        <translation>표시하지 않는 종류의 이벤트 1개를 제외했습니다.</translation>
    </message>
    <message>
        <source>1 event overlaps others of its row without being nested in them: it is shown in a separate row.</source>
        <translation>이벤트 1개가 같은 줄의 다른 이벤트에 속하지 않으면서 겹칩니다: 따로 줄을 둡니다.</translation>
    </message>
    <message>
        <source>1 event that begins and never ends is left out.</source>
        <translation>시작하고 끝나지 않는 이벤트 1개를 제외했습니다.</translation>
    </message>
    <message>
        <source>1 event that ends and never began is left out.</source>
        <translation>시작 없이 끝나는 이벤트 1개를 제외했습니다.</translation>
    </message>
    <message>
        <source>1 event without a time is left out.</source>
        <translation>시간이 없는 이벤트 1개를 제외했습니다.</translation>
    </message>
    <message>
        <source>1 file does not contain its rank: it is taken from the order of the files&apos; names.</source>
        <translation>파일 1개에 랭크가 적혀 있지 않아 이름 순서로 정했습니다.</translation>
    </message>
    <message>
        <source>1 file has the same rank as another file.</source>
        <translation>파일 1개의 랭크가 다른 파일과 같습니다.</translation>
    </message>
    <message>
        <source>1 file of the folder cannot be read.</source>
        <translation>폴더의 파일 1개를 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>1 lane instead of {a}</source>
        <translation>레인 {a}개 대신 1개</translation>
    </message>
    <message>
        <source>1 micro-batch instead of {a}</source>
        <translation>마이크로배치 {a}개 대신 1개</translation>
    </message>
    <message>
        <source>1 name of a process or thread cannot be read: a number is shown instead.</source>
        <translation>프로세스나 스레드의 이름 1개를 읽을 수 없어 번호로 나타냅니다.</translation>
    </message>
    <message>
        <source>1 process number is used for two things: these are shown separately.</source>
        <translation>프로세스 번호 1개가 두 가지를 가리켜 구분했습니다.</translation>
    </message>
    <message>
        <source>1 packet could not be read: it is left out.</source>
        <translation>패킷 1개를 읽을 수 없어 제외했습니다.</translation>
    </message>
    <message>
        <source>1 rank has no time in common with the first: it begins at 0.</source>
        <translation>랭크 1개가 첫째와 공통된 시간이 없어 각각 0에서 시작합니다.</translation>
    </message>
    <message>
        <source>1 replica instead of {a}</source>
        <translation>복제본 {a}개 대신 1개</translation>
    </message>
    <message>
        <source>1 row instead of {a}</source>
        <translation>{a} 행 대신 1 행</translation>
    </message>
    <message>
        <source>1 row of the database has no valid time: it is left out.</source>
        <translation>데이터베이스에서 유효한 시간이 없는 행 1개를 제외했습니다.</translation>
    </message>
    <message>
        <source>1 stage instead of {a}</source>
        <translation>스테이지 {a}개 대신 1개</translation>
    </message>
    <message>
        <source>1 step is not in every rank&apos;s file: it is left out</source>
        <translation>스텝 1개가 모든 랭크의 파일에 있지 않아 제외했습니다</translation>
    </message>
    <message>
        <source>1 task of a device has no call that launched it.</source>
        <translation>장치의 작업 1개에 그것을 시작한 호출이 없습니다.</translation>
    </message>
    <message>
        <source>: batch({a}) failed</source>
        <translation>: batch({a}) 실패</translation>
    </message>
    <message>
        <source>: block {a} failed</source>
        <translation>: 블록 {a} 실패</translation>
    </message>
    <message>
        <source>: torch.export cannot cut it into blocks</source>
        <translation>: torch.export로 블록으로 나눌 수 없습니다</translation>
    </message>
    <message>
        <source>; it may have run out of memory</source>
        <translation>; 메모리가 부족했을 수 있습니다</translation>
    </message>
    <message>
        <source>A job is recorded</source>
        <translation>작업이 기록됩니다</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>주소</translation>
    </message>
    <message>
        <source>Address to listen on</source>
        <translation>수신할 주소</translation>
    </message>
    <message>
        <source>Another stream of the same device computes: no loss in itself.</source>
        <translation>같은 장치의 다른 스트림이 계산 중입니다. 그 자체로는 손실이 아닙니다.</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Arguments in the file</source>
        <translation>파일의 인수</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>균형</translation>
    </message>
    <message>
        <source>Border {number} of {count}, before block {block}.</source>
        <translation>경계 {count}개 중 {number}, 블록 {block} 앞.</translation>
    </message>
    <message>
        <source>Borders</source>
        <translation>경계</translation>
    </message>
    <message>
        <source>By parameters</source>
        <translation>파라미터 기준</translation>
    </message>
    <message>
        <source>Bytes moved in each step</source>
        <translation>각 스텝에서 옮긴 바이트</translation>
    </message>
    <message>
        <source>COLLECTIVES · who came last, mean wait and transfer</source>
        <translation>집합 통신 · 마지막에 온 랭크, 평균 대기와 전송</translation>
    </message>
    <message>
        <source>CUDA_LAUNCH_BLOCKING is set: kernels run one by one and nothing overlaps</source>
        <translation>CUDA_LAUNCH_BLOCKING이 설정되어 있습니다. 커널이 하나씩 실행되고 아무것도 겹치지 않습니다</translation>
    </message>
    <message>
        <source>Click a bar or an idle gap for its details. Drag to count a range; Shift+click measures to another bar.</source>
        <translation>막대나 유휴 구간을 클릭하면 자세히 보이고, 끌면 범위를, Shift+클릭하면 거리를 잽니다.</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>시계</translation>
    </message>
    <message>
        <source>Close this window; listening goes on.</source>
        <translation>이 창을 닫습니다. 수신은 계속됩니다.</translation>
    </message>
    <message>
        <source>Collectives that are not listed, with shorter waits: {n}</source>
        <translation>목록에 없는, 대기가 더 짧은 집합 통신: {n}</translation>
    </message>
    <message>
        <source>Colour another program&apos;s bars by their name, or as its file says.</source>
        <translation>다른 프로그램의 막대를 이름에 따라, 또는 파일에 적힌 대로 칠합니다.</translation>
    </message>
    <message>
        <source>Communication alone takes {share}.</source>
        <translation>통신만 하는 시간: {share}.</translation>
    </message>
    <message>
        <source>Communication that no computing hides costs {loss} a step ({share}).</source>
        <translation>계산에 가려지지 않은 통신: 스텝당 {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Connections that were refused: {count}.</source>
        <translation>거절한 연결: {count}.</translation>
    </message>
    <message>
        <source>Copies alone take {share}.</source>
        <translation>복사만 하는 시간: {share}.</translation>
    </message>
    <message>
        <source>Copies that no computing hides cost {loss} a step ({share}).</source>
        <translation>계산에 가려지지 않은 복사: 스텝당 {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>명령 복사</translation>
    </message>
    <message>
        <source>Copy the lines for the script</source>
        <translation>스크립트에 넣을 줄 복사</translation>
    </message>
    <message>
        <source>Counted from 0, warm-up steps included, as step: in a search and files of spans have it.</source>
        <translation>0부터 세며 워밍업 스텝도 포함합니다. 검색의 step: 과 스팬 파일도 이렇게 셉니다.</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>카운터</translation>
    </message>
    <message>
        <source>Counters are not shown.</source>
        <translation>카운터는 표시되지 않습니다.</translation>
    </message>
    <message>
        <source>Cut into stages of nearly equal parameters.</source>
        <translation>파라미터 수가 거의 같은 스테이지로 나눕니다.</translation>
    </message>
    <message>
        <source>Cut the model where the measured times of its blocks are balanced.</source>
        <translation>블록의 측정 시간이 균형을 이루는 곳에서 모델을 나눕니다.</translation>
    </message>
    <message>
        <source>Cut where the measured times of the stages are balanced.</source>
        <translation>측정한 스테이지 시간이 균형을 이루는 곳에서 나눕니다.</translation>
    </message>
    <message>
        <source>Devices are in use for {used} of it.</source>
        <translation>그중 장치 사용 시간: {used}.</translation>
    </message>
    <message>
        <source>Devices idle {idle}, the largest part {reason} ({share}).</source>
        <translation>장치 유휴 {idle}, 가장 큰 부분: {reason} ({share}).</translation>
    </message>
    <message>
        <source>Devices idle {idle}.</source>
        <translation>장치 유휴 {idle}.</translation>
    </message>
    <message>
        <source>Devices idle {idle}: mostly {reason} ({share}).</source>
        <translation>장치 유휴 {idle}: 주로 {reason} ({share}).</translation>
    </message>
    <message>
        <source>Devices idle {loss} a step ({share}), and the trace does not tell what for.</source>
        <translation>장치가 스텝당 {loss} ({share}) 유휴이며, 이유는 트레이스에 없습니다.</translation>
    </message>
    <message>
        <source>Devices wait {loss} a step ({share}) for the host to start their work.</source>
        <translation>장치가 호스트의 작업 시작을 스텝당 {loss} ({share}) 기다립니다.</translation>
    </message>
    <message>
        <source>Drag to move, wheel or + and − to zoom, a double click for one step.</source>
        <translation>끌어서 이동, 휠이나 + 와 −로 확대·축소, 두 번 클릭하면 한 스텝.</translation>
    </message>
    <message>
        <source>Drag to move, wheel or + and − to zoom.</source>
        <translation>끌어서 이동, 휠이나 + 와 −로 확대·축소.</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>예제</translation>
    </message>
    <message>
        <source>Explain range</source>
        <translation>범위 설명</translation>
    </message>
    <message>
        <source>Explain this range</source>
        <translation>이 범위 설명</translation>
    </message>
    <message>
        <source>Export execution traces: name a new folder</source>
        <translation>실행 트레이스 내보내기: 새 폴더 이름 지정</translation>
    </message>
    <message>
        <source>Export for ASTRA-sim…</source>
        <translation>ASTRA-sim용으로 내보내기…</translation>
    </message>
    <message>
        <source>Export for Holistic Trace Analysis…</source>
        <translation>Holistic Trace Analysis용으로 내보내기…</translation>
    </message>
    <message>
        <source>Export ranks: name a new folder</source>
        <translation>랭크 내보내기: 새 폴더 이름 지정</translation>
    </message>
    <message>
        <source>Export trace</source>
        <translation>트레이스 내보내기</translation>
    </message>
    <message>
        <source>Export trace…</source>
        <translation>트레이스 내보내기…</translation>
    </message>
    <message>
        <source>From a file: {a} ranks, {b} stages, {c} micro-batches.</source>
        <translation>파일에서: 랭크 {a}개, 스테이지 {b}개, 마이크로배치 {c}개.</translation>
    </message>
    <message>
        <source>How durations scatter</source>
        <translation>길이의 분포</translation>
    </message>
    <message>
        <source>Idle time, communication alone and copies alone cost less than a twentieth each.</source>
        <translation>유휴, 통신만 하는 시간, 복사만 하는 시간은 각각 20분의 1 미만입니다.</translation>
    </message>
    <message>
        <source>Idle: {cause}</source>
        <translation>유휴: {cause}</translation>
    </message>
    <message>
        <source>In this pixel: {least} to {most}</source>
        <translation>이 픽셀: {least}~{most}</translation>
    </message>
    <message>
        <source>In this trace: {least} to {most}</source>
        <translation>이 트레이스: {least}~{most}</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: lanes share cores, which slow each other down.</source>
        <translation>오차가 1/4을 넘습니다: 레인이 코어를 공유해 서로 느려집니다.</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: the tasks took other times than their costs say.</source>
        <translation>오차가 1/4을 넘습니다: 작업이 비용과 다른 시간이 걸렸습니다.</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: these tasks are so short that starting them counts.</source>
        <translation>오차가 1/4을 넘습니다: 작업이 너무 짧아 시작하는 시간도 영향을 줍니다.</translation>
    </message>
    <message>
        <source>Jobs on other machines can connect if they know the token in the address. What they send is not encrypted: listen on a network that you trust.</source>
        <translation>다른 컴퓨터의 작업도 주소의 토큰을 알면 연결할 수 있습니다. 보내는 내용은 암호화되지 않으니 믿을 수 있는 네트워크에서 수신하세요.</translation>
    </message>
    <message>
        <source>Jobs on this machine can connect. The address has a token in it: whoever does not know it is refused.</source>
        <translation>이 컴퓨터의 작업이 연결할 수 있습니다. 주소에 토큰이 들어 있어, 모르면 거절됩니다.</translation>
    </message>
    <message>
        <source>KIND:FACTOR, such as backward:1.2</source>
        <translation>종류:배수, 예: backward:1.2</translation>
    </message>
    <message>
        <source>Lane memory</source>
        <translation>레인 메모리</translation>
    </message>
    <message>
        <source>Lane {lane} computes {factor} times as long as other lanes for the same: that costs at least {loss} ({share}).</source>
        <translation>레인 {lane}은(는) 같은 일에 다른 레인의 {factor}배로 오래 계산합니다. 손실은 적어도 {loss}({share})입니다.</translation>
    </message>
    <message>
        <source>Lanes idle {idle}, the largest part {reason} ({share}).</source>
        <translation>레인 유휴 {idle}, 가장 큰 부분: {reason} ({share}).</translation>
    </message>
    <message>
        <source>Limit of a lane, MB</source>
        <translation>레인 한도, MB</translation>
    </message>
    <message>
        <source>Lines for the script</source>
        <translation>스크립트에 넣을 줄</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>수신</translation>
    </message>
    <message>
        <source>Listen for a training job</source>
        <translation>학습 작업 수신</translation>
    </message>
    <message>
        <source>Listen for a training job…</source>
        <translation>학습 작업 수신…</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>컴퓨터</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>Measure what each block costs, in a short run beside the form&apos;s.</source>
        <translation>짧은 실행으로 각 블록의 비용을 측정합니다. 설정은 그대로입니다.</translation>
    </message>
    <message>
        <source>Measure, or Run, shows the blocks of {name}, which are not known yet.</source>
        <translation>측정이나 실행을 누르면 아직 알 수 없는 {name}의 블록이 나타납니다.</translation>
    </message>
    <message>
        <source>Measured with micro-batches of {rows}.</source>
        <translation>{rows}의 마이크로배치로 측정했습니다.</translation>
    </message>
    <message>
        <source>Measured with micro-batches of {rows}; in proportion for {asked}.</source>
        <translation>{rows}의 마이크로배치로 측정했고 {asked}에 비례해 환산했습니다.</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>다음 스텝</translation>
    </message>
    <message>
        <source>No job has connected yet.</source>
        <translation>아직 연결된 작업이 없습니다.</translation>
    </message>
    <message>
        <source>No lane on screen is idle in the measured steps on screen.</source>
        <translation>화면에 있는 측정 스텝에서 유휴인 레인이 화면에 없습니다.</translation>
    </message>
    <message>
        <source>No lane, link or step is slower than its peers; balance, order and communication cost less than a twentieth each.</source>
        <translation>다른 것보다 느린 레인, 링크, 스텝이 없습니다. 균형, 순서, 통신의 손해는 각각 1/20 미만입니다.</translation>
    </message>
    <message>
        <source>No run is shown: there are no settings to use.</source>
        <translation>보이는 실행이 없어 사용할 설정이 없습니다.</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>아직 실행 없음</translation>
    </message>
    <message>
        <source>No waiting inside a lane, for twice the memory.</source>
        <translation>메모리를 두 배 쓰는 대신 레인 안의 대기가 없습니다.</translation>
    </message>
    <message>
        <source>No whole step of a plan was recorded: there is none to write as a graph.</source>
        <translation>계획의 온전한 스텝이 기록되지 않아 그래프로 쓸 것이 없습니다.</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>노드</translation>
    </message>
    <message>
        <source>Not explained</source>
        <translation>설명하지 않음</translation>
    </message>
    <message>
        <source>Not explained: the step has {n} tasks, and at most {most} are explained here.</source>
        <translation>설명하지 않음: 이 스텝에는 작업이 {n}개 있으며, 여기서는 최대 {most}개를 설명합니다.</translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation>아직 측정하지 않았습니다.</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>메모</translation>
    </message>
    <message>
        <source>Note of the mark</source>
        <translation>표시의 메모</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>메모…</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>Nothing begins in this range: there is nothing to explain.</source>
        <translation>이 범위에서 시작하는 것이 없어 설명할 것이 없습니다.</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>그런 이름이 없습니다.</translation>
    </message>
    <message>
        <source>Nothing recorded</source>
        <translation>기록된 것 없음</translation>
    </message>
    <message>
        <source>Numbers are micro-batches.</source>
        <translation>숫자는 마이크로배치입니다.</translation>
    </message>
    <message>
        <source>Of the run that is shown</source>
        <translation>보이는 실행의 것</translation>
    </message>
    <message>
        <source>On how many devices the stages are, whatever this machine has.</source>
        <translation>이 컴퓨터의 장치와 관계없이, 스테이지를 몇 개의 장치에 두는지입니다.</translation>
    </message>
    <message>
        <source>One column, 85 mm</source>
        <translation>한 단, 85 mm</translation>
    </message>
    <message>
        <source>One device computes the loss of all replicas.</source>
        <translation>한 장치가 모든 복제본의 손실을 계산합니다.</translation>
    </message>
    <message>
        <source>One device copies the model&apos;s parameters to the replicas.</source>
        <translation>한 장치가 모델의 매개변수를 복제본으로 복사합니다.</translation>
    </message>
    <message>
        <source>One device gathers the outputs or reduces the gradients of all replicas.</source>
        <translation>한 장치가 모든 복제본의 출력을 모으거나 변화도를 리듀스합니다.</translation>
    </message>
    <message>
        <source>One device sends the replicas their inputs, or the gradients of their outputs.</source>
        <translation>한 장치가 복제본에 입력 또는 출력의 변화도를 보냅니다.</translation>
    </message>
    <message>
        <source>One device updates the parameters of all replicas.</source>
        <translation>한 장치가 모든 복제본의 매개변수를 갱신합니다.</translation>
    </message>
    <message>
        <source>One forward, one backward in turn.</source>
        <translation>순전파와 역전파를 하나씩 번갈아 실행합니다.</translation>
    </message>
    <message>
        <source>One gathers all on lane 0, the other reduces while it computes.</source>
        <translation>하나는 레인 0에 모두 모으고, 다른 하나는 계산하면서 리듀스합니다.</translation>
    </message>
    <message>
        <source>One row for each lane; the Details panel tells the selection.</source>
        <translation>레인마다 한 행입니다. 세부 정보 패널이 선택 항목을 알려 줍니다.</translation>
    </message>
    <message>
        <source>Only measured times are balanced under a limit.</source>
        <translation>측정한 시간만 한도 안에서 균형을 맞춥니다.</translation>
    </message>
    <message>
        <source>Only virtual lanes have a clock of their own.</source>
        <translation>가상 레인에만 고유한 시계가 있습니다.</translation>
    </message>
    <message>
        <source>Only {level}</source>
        <translation>{level}만</translation>
    </message>
    <message>
        <source>Open a recording from a file.</source>
        <translation>파일에서 기록을 엽니다.</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>모든 그룹 펼치기</translation>
    </message>
    <message>
        <source>Open folder of ranks</source>
        <translation>랭크 폴더 열기</translation>
    </message>
    <message>
        <source>Open folder of ranks…</source>
        <translation>랭크 폴더 열기…</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>최근 항목 열기</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>기록 열기</translation>
    </message>
    <message>
        <source>Open recordings</source>
        <translation>기록 열기</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>기록 열기…</translation>
    </message>
    <message>
        <source>Open runs and recordings</source>
        <translation>실행과 기록 열기</translation>
    </message>
    <message>
        <source>Open the files of a job&apos;s ranks, one each in a folder, as one run.</source>
        <translation>한 작업의 랭크별 파일이 든 폴더를 실행 하나로 엽니다.</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>{name} 열기</translation>
    </message>
    <message>
        <source>Opened {names}.</source>
        <translation>열었습니다: {names}.</translation>
    </message>
    <message>
        <source>Opening {name}: {share} %</source>
        <translation>{name} 여는 중: {share} %</translation>
    </message>
    <message>
        <source>Opens the pipeline and selects its longest idle gap; Details says why it is there.</source>
        <translation>파이프라인을 열고 가장 긴 유휴 구간을 선택합니다. 그 이유는 세부 정보가 알려 줍니다.</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>Optimizer step</source>
        <translation>옵티마이저 스텝</translation>
    </message>
    <message>
        <source>Or choose a link speed above.</source>
        <translation>또는 위에서 링크 속도를 선택하세요.</translation>
    </message>
    <message>
        <source>Or open a recording (Ctrl+O).</source>
        <translation>또는 기록을 여세요 (Ctrl+O).</translation>
    </message>
    <message>
        <source>Or press F5 to run what the form on the left says, drop recordings here, or press Ctrl+Shift+P for everything else.</source>
        <translation>또는 F5를 눌러 왼쪽 양식대로 실행하거나, 기록을 여기에 놓거나, Ctrl+Shift+P를 눌러 그 밖의 모든 것을 찾으세요.</translation>
    </message>
    <message>
        <source>Or start the job like this, without any line in it:</source>
        <translation>또는 줄을 더하지 않고 이렇게 작업을 시작하세요:</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>기타</translation>
    </message>
    <message>
        <source>Other kinds</source>
        <translation>기타 종류</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>결과</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>테두리</translation>
    </message>
    <message>
        <source>Outline the tasks that make each step on screen as long as it is.</source>
        <translation>화면에 있는 각 스텝의 길이를 결정하는 작업에 테두리를 그립니다.</translation>
    </message>
    <message>
        <source>Over 1 step.</source>
        <translation>스텝 1개에 대한 것입니다.</translation>
    </message>
    <message>
        <source>Over {n} steps.</source>
        <translation>스텝 {n}개에 대한 것입니다.</translation>
    </message>
    <message>
        <source>Overview of the whole run</source>
        <translation>전체 실행의 개요</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 문서 (*.pdf)</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 이미지 (*.png)</translation>
    </message>
    <message>
        <source>Pan.</source>
        <translation>화면을 이동합니다.</translation>
    </message>
    <message>
        <source>Panels that share this place</source>
        <translation>이 자리를 공유하는 패널</translation>
    </message>
    <message>
        <source>Part before</source>
        <translation>이전 부분</translation>
    </message>
    <message>
        <source>Pick a piece to show its task in the timeline.</source>
        <translation>조각을 선택하면 그 작업을 타임라인에 표시합니다.</translation>
    </message>
    <message>
        <source>Picture…</source>
        <translation>그림…</translation>
    </message>
    <message>
        <source>Pin the lane</source>
        <translation>레인 고정</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>파이프라인</translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 2 CPU lanes</source>
        <translation>CPU 레인 2개의 파이프라인, 1F1B</translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 4 virtual lanes</source>
        <translation>가상 레인 4개의 파이프라인, 1F1B</translation>
    </message>
    <message>
        <source>Pipelines side by side</source>
        <translation>나란한 파이프라인</translation>
    </message>
    <message>
        <source>Pipelines that run side by side.</source>
        <translation>나란히 실행되는 파이프라인입니다.</translation>
    </message>
    <message>
        <source>Pixels of a PNG</source>
        <translation>PNG의 픽셀</translation>
    </message>
    <message>
        <source>Plain: 1 ms a pass</source>
        <translation>단순: 패스당 1 ms</translation>
    </message>
    <message>
        <source>Point at a mark, or go to one, to delete it.</source>
        <translation>삭제하려면 표시를 가리키거나 표시로 이동하세요.</translation>
    </message>
    <message>
        <source>Point at a moment of a run, or select something, to mark it.</source>
        <translation>표시하려면 실행의 한 시점을 가리키거나 무언가를 선택하세요.</translation>
    </message>
    <message>
        <source>Port to listen on</source>
        <translation>수신할 포트</translation>
    </message>
    <message>
        <source>Predict all</source>
        <translation>모두 예측</translation>
    </message>
    <message>
        <source>Predict every way again, from the run that is shown.</source>
        <translation>보이는 실행을 바탕으로 모든 방식을 다시 예측합니다.</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Predicted passes of a step: {now} before, {then} with these borders ({change}).</source>
        <translation>한 스텝의 예측 계산: 이전 {now}, 이 경계로 {then} ({change}).</translation>
    </message>
    <message>
        <source>Predicted passes of a step: {now}.</source>
        <translation>한 스텝의 예측 계산: {now}.</translation>
    </message>
    <message>
        <source>Predicted timeline</source>
        <translation>예측 타임라인</translation>
    </message>
    <message>
        <source>Predicted: {part}</source>
        <translation>예측: {part}</translation>
    </message>
    <message>
        <source>Predicted: {task}, {time}</source>
        <translation>예측: {task}, {time}</translation>
    </message>
    <message>
        <source>Predicting {devices} devices, {microbatches} micro-batches…</source>
        <translation>장치 {devices}개, 마이크로배치 {microbatches}개 예측 중…</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>Prediction of this run</source>
        <translation>이 실행의 예측</translation>
    </message>
    <message>
        <source>Preparing the run…</source>
        <translation>실행 준비 중…</translation>
    </message>
    <message>
        <source>Press M to mark the moment under the pointer, or the start of what is selected; Shift+M marks what is selected from start to end. Marks are kept beside the recording.</source>
        <translation>M을 누르면 포인터 아래 시점이나 선택 항목의 시작을 표시하고, Shift+M을 누르면 선택 항목을 시작부터 끝까지 표시합니다. 표시는 기록 옆에 보관됩니다.</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>미리 보기</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>이전 결과</translation>
    </message>
    <message>
        <source>Previous hit (Shift+Return)</source>
        <translation>이전 결과 (Shift+Return)</translation>
    </message>
    <message>
        <source>Previous lane</source>
        <translation>이전 레인</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>이전 표시</translation>
    </message>
    <message>
        <source>Previous span</source>
        <translation>이전 스팬</translation>
    </message>
    <message>
        <source>Previous span in run B</source>
        <translation>실행 B의 이전 스팬</translation>
    </message>
    <message>
        <source>Previous tab</source>
        <translation>이전 탭</translation>
    </message>
    <message>
        <source>Progress of counting</source>
        <translation>집계 진행률</translation>
    </message>
    <message>
        <source>Progress of opening the recording</source>
        <translation>기록 열기 진행률</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>실행 진행률</translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown, and see what takes longer, and why.</source>
        <translation>보이는 실행 아래에 다른 실행, 기록 또는 예측을 놓고, 무엇이 왜 더 오래 걸리는지 봅니다.</translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown.</source>
        <translation>보이는 실행 아래에 다른 실행, 기록 또는 예측을 놓습니다.</translation>
    </message>
    <message>
        <source>Put faults into the virtual lanes, to see what they do.</source>
        <translation>가상 레인에 결함을 넣고 그 영향을 봅니다.</translation>
    </message>
    <message>
        <source>Put it on the clipboard, as an image and as SVG.</source>
        <translation>이미지와 SVG로 클립보드에 복사합니다.</translation>
    </message>
    <message>
        <source>Put the settings of the run that is shown into the form; Run then starts them.</source>
        <translation>보이는 실행의 설정을 양식에 넣습니다. 그다음 실행을 누르면 시작합니다.</translation>
    </message>
    <message>
        <source>Put these lines into the script, around its training loop:</source>
        <translation>이 줄을 스크립트의 학습 루프를 감싸도록 넣으세요:</translation>
    </message>
    <message>
        <source>Put these settings into the form and run them.</source>
        <translation>이 설정을 양식에 넣고 실행합니다.</translation>
    </message>
    <message>
        <source>Put this into the settings; Run then starts it.</source>
        <translation>이것을 설정에 넣습니다. 그다음 실행을 누르면 시작합니다.</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>질의</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>종료</translation>
    </message>
    <message>
        <source>Ranks that have connected</source>
        <translation>연결된 랭크</translation>
    </message>
    <message>
        <source>Read costs from a JSON or TOML file.</source>
        <translation>JSON 또는 TOML 파일에서 비용을 읽습니다.</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>준비</translation>
    </message>
    <message>
        <source>Reasons of the gap</source>
        <translation>유휴 구간의 원인</translation>
    </message>
    <message>
        <source>Record when each block of the model is passed; that costs a little.</source>
        <translation>모델의 각 블록을 지나는 시각을 기록합니다. 약간의 비용이 듭니다.</translation>
    </message>
    <message>
        <source>Recordings (*.arrow)</source>
        <translation>기록 (*.arrow)</translation>
    </message>
    <message>
        <source>Reduce</source>
        <translation>리듀스</translation>
    </message>
    <message>
        <source>Reduce-scatter</source>
        <translation>Reduce-scatter</translation>
    </message>
    <message>
        <source>Reduced: up to {spans} spans in one mark.</source>
        <translation>간략화됨: 표시 하나에 스팬 최대 {spans}개.</translation>
    </message>
    <message>
        <source>Remove missing files</source>
        <translation>없는 파일 제거</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>{name}: 목록에서 제거</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>이름 바꾸기</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>이름 바꾸기…</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>반복</translation>
    </message>
    <message>
        <source>Replica</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>Replicate</source>
        <translation>복제</translation>
    </message>
    <message>
        <source>Replicate the model, split the batch.</source>
        <translation>모델을 복제하고 배치를 분할합니다.</translation>
    </message>
    <message>
        <source>ResNet-50</source>
        <translation>ResNet-50</translation>
    </message>
    <message>
        <source>ResNet-50 on square images.</source>
        <translation>정사각형 이미지를 쓰는 ResNet-50입니다.</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>되돌리기</translation>
    </message>
    <message>
        <source>Reset to the built-in colours</source>
        <translation>기본 색으로 되돌리기</translation>
    </message>
    <message>
        <source>Results of the sweep</source>
        <translation>스윕 결과</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>행</translation>
    </message>
    <message>
        <source>Rows of an epoch; the last batch of it may be smaller.</source>
        <translation>한 에포크의 행 수입니다. 마지막 배치는 더 작을 수 있습니다.</translation>
    </message>
    <message>
        <source>Rows of each micro-batch; the last one may have fewer.</source>
        <translation>각 마이크로배치의 행 수입니다. 마지막 것은 더 적을 수 있습니다.</translation>
    </message>
    <message>
        <source>Rows of the whole batch, over all lanes.</source>
        <translation>모든 레인에 걸친 전체 배치의 행 수입니다.</translation>
    </message>
    <message>
        <source>Rows of the whole batch; without a number it grows with the micro-batches.</source>
        <translation>전체 배치의 행 수입니다. 숫자가 없으면 마이크로배치와 함께 늘어납니다.</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Run GPipe, then 1F1B</source>
        <translation>GPipe 실행 후 1F1B 실행</translation>
    </message>
    <message>
        <source>Run every value, in random order, with the other settings of the form.</source>
        <translation>양식의 다른 설정을 그대로 두고 모든 값을 무작위 순서로 실행합니다.</translation>
    </message>
    <message>
        <source>Run once: the costs come from its calibration.</source>
        <translation>한 번 실행하세요. 비용은 그 보정에서 나옵니다.</translation>
    </message>
    <message>
        <source>Run query</source>
        <translation>질의 실행</translation>
    </message>
    <message>
        <source>Run starts it afresh.</source>
        <translation>실행을 누르면 새로 시작합니다.</translation>
    </message>
    <message>
        <source>Run sweep</source>
        <translation>스윕 실행</translation>
    </message>
    <message>
        <source>Run the query (Ctrl+Enter).</source>
        <translation>질의를 실행합니다 (Ctrl+Enter).</translation>
    </message>
    <message>
        <source>Run these too, with the same settings, for reference.</source>
        <translation>참고용으로 같은 설정에서 이것도 실행합니다.</translation>
    </message>
    <message>
        <source>Run this</source>
        <translation>이것 실행</translation>
    </message>
    <message>
        <source>Run what the form says.</source>
        <translation>양식대로 실행합니다.</translation>
    </message>
    <message>
        <source>Run {letter}</source>
        <translation>실행 {letter}</translation>
    </message>
    <message>
        <source>Run {name} has no whole step to compare yet.</source>
        <translation>실행 {name}에는 아직 비교할 온전한 스텝이 없습니다.</translation>
    </message>
    <message>
        <source>Running {what}</source>
        <translation>{what} 실행 중</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>실행</translation>
    </message>
    <message>
        <source>Runs a training step in parallel on this machine&apos;s devices and shows what every device does, when it waits, and why.</source>
        <translation>이 컴퓨터의 장치에서 학습 스텝을 병렬로 실행하고, 모든 장치가 무엇을 하고 언제 왜 기다리는지 보여 줍니다.</translation>
    </message>
    <message>
        <source>Runs of this sitting</source>
        <translation>이번 세션의 실행</translation>
    </message>
    <message>
        <source>Runs to compare with</source>
        <translation>비교할 실행</translation>
    </message>
    <message>
        <source>SAMPLE RECORDINGS</source>
        <translation>예제 기록</translation>
    </message>
    <message>
        <source>SELECT … FROM {tables}. Ctrl+Enter runs the query.</source>
        <translation>SELECT … FROM {tables}. Ctrl+Enter로 질의를 실행합니다.</translation>
    </message>
    <message>
        <source>SQL</source>
        <translation>SQL</translation>
    </message>
    <message>
        <source>SQL needs DuckDB: pip install &apos;bubblescope[sql]&apos;</source>
        <translation>SQL에는 DuckDB가 필요합니다: pip install &apos;bubblescope[sql]&apos;</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>CSV로 저장…</translation>
    </message>
    <message>
        <source>Save costs</source>
        <translation>비용 저장</translation>
    </message>
    <message>
        <source>Save figure</source>
        <translation>그림 저장</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>그림 저장</translation>
    </message>
    <message>
        <source>Save recording</source>
        <translation>기록 저장</translation>
    </message>
    <message>
        <source>Save recording…</source>
        <translation>기록 저장…</translation>
    </message>
    <message>
        <source>Save spans</source>
        <translation>스팬 저장</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>표 저장</translation>
    </message>
    <message>
        <source>Save the run that is shown as a recording.</source>
        <translation>보이는 실행을 기록으로 저장합니다.</translation>
    </message>
    <message>
        <source>Save the runs in a folder</source>
        <translation>실행을 폴더에 저장</translation>
    </message>
    <message>
        <source>Saved {count} spans as {name}.</source>
        <translation>스팬 {count}개를 {name}(으)로 저장했습니다.</translation>
    </message>
    <message>
        <source>Saved {name}.</source>
        <translation>{name}(으)로 저장했습니다.</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>저장…</translation>
    </message>
    <message>
        <source>Saving {name}…</source>
        <translation>{name} 저장 중…</translation>
    </message>
    <message>
        <source>Say how many devices a node has, where their names do not tell.</source>
        <translation>이름으로 알 수 없을 때 노드의 장치가 몇 개인지 정합니다.</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>나누기</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>스케줄</translation>
    </message>
    <message>
        <source>Schedule: {name}</source>
        <translation>스케줄: {name}</translation>
    </message>
    <message>
        <source>Scroll the lanes.</source>
        <translation>레인을 스크롤합니다.</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>검색</translation>
    </message>
    <message>
        <source>Search no further</source>
        <translation>검색 그만하기</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>검색…</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>Select a range of another program&apos;s trace to explain it.</source>
        <translation>설명하려면 다른 프로그램의 트레이스에서 범위를 선택하세요.</translation>
    </message>
    <message>
        <source>Select a range of time over all lanes.</source>
        <translation>모든 레인에 걸쳐 시간 범위를 선택합니다.</translation>
    </message>
    <message>
        <source>Select a range of time over the lanes that it touches, and count it.</source>
        <translation>지나간 레인에 걸쳐 시간 범위를 선택하고 집계합니다.</translation>
    </message>
    <message>
        <source>Select a range, a span or an idle gap to mark it.</source>
        <translation>표시하려면 범위, 스팬 또는 유휴 구간을 선택하세요.</translation>
    </message>
    <message>
        <source>Select a span in each run first, then align here.</source>
        <translation>먼저 각 실행에서 스팬을 하나씩 선택한 다음 여기에 맞추세요.</translation>
    </message>
    <message>
        <source>Select a span or an idle gap.</source>
        <translation>스팬이나 유휴 구간을 선택합니다.</translation>
    </message>
    <message>
        <source>Select and fit the longest idle gap on screen; again, the next longest.</source>
        <translation>화면에서 가장 긴 유휴 구간을 선택해 맞춥니다. 다시 누르면 그다음으로 긴 것을 선택합니다.</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>선택 해제</translation>
    </message>
    <message>
        <source>Select the next span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation>실행 B의 레인에서 다음 스팬을 선택합니다. 실행 A의 선택은 그대로입니다.</translation>
    </message>
    <message>
        <source>Select the next span on the lane.</source>
        <translation>레인에서 다음 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the next span that was found.</source>
        <translation>검색된 다음 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the previous span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation>실행 B의 레인에서 이전 스팬을 선택합니다. 실행 A의 선택은 그대로입니다.</translation>
    </message>
    <message>
        <source>Select the previous span on the lane.</source>
        <translation>레인에서 이전 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the same task in the next step.</source>
        <translation>다음 스텝의 같은 작업을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the same task in the step before.</source>
        <translation>이전 스텝의 같은 작업을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the span before that was found.</source>
        <translation>검색된 이전 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the span that waited for the selected one.</source>
        <translation>선택한 스팬을 기다린 스팬을 선택합니다.</translation>
    </message>
    <message>
        <source>Select the time that is visible over all lanes, and count it.</source>
        <translation>보이는 시간을 모든 레인에 걸쳐 선택하고 집계합니다.</translation>
    </message>
    <message>
        <source>Select visible range</source>
        <translation>보이는 범위 선택</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>시퀀스</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>Settings of both</source>
        <translation>둘의 설정</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>실행의 설정</translation>
    </message>
    <message>
        <source>Settings that are seldom changed.</source>
        <translation>드물게 바꾸는 설정입니다.</translation>
    </message>
    <message>
        <source>Several stages on each lane, all micro-batches through each in turn.</source>
        <translation>각 레인에 여러 스테이지를 두고, 모든 마이크로배치가 스테이지를 차례로 지납니다.</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>비율</translation>
    </message>
    <message>
        <source>Share of each step in which a lane is idle</source>
        <translation>각 스텝에서 레인이 유휴인 비율</translation>
    </message>
    <message>
        <source>Shares of the critical path</source>
        <translation>임계 경로의 비율</translation>
    </message>
    <message>
        <source>Shift + click</source>
        <translation>Shift + 클릭</translation>
    </message>
    <message>
        <source>Shift + wheel</source>
        <translation>Shift + 휠</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>모두 보기</translation>
    </message>
    <message>
        <source>Show every group as one row.</source>
        <translation>모든 그룹을 한 행씩 표시합니다.</translation>
    </message>
    <message>
        <source>Show every key and what the mouse does.</source>
        <translation>모든 키와 마우스 동작을 표시합니다.</translation>
    </message>
    <message>
        <source>Show every lane.</source>
        <translation>모든 레인을 표시합니다.</translation>
    </message>
    <message>
        <source>Show it without sharing, on {lanes} virtual lanes</source>
        <translation>공유 없이 가상 레인 {lanes}개로 보기</translation>
    </message>
    <message>
        <source>Show large</source>
        <translation>크게 보기</translation>
    </message>
    <message>
        <source>Show less time in more detail.</source>
        <translation>더 짧은 시간을 더 자세히 표시합니다.</translation>
    </message>
    <message>
        <source>Show more time.</source>
        <translation>더 긴 시간을 표시합니다.</translation>
    </message>
    <message>
        <source>Show only spans that are</source>
        <translation>다음 조건의 스팬만 표시</translation>
    </message>
    <message>
        <source>Show only the lanes whose names contain some text; * stands for anything.</source>
        <translation>이름에 어떤 텍스트가 들어 있는 레인만 표시합니다. *는 아무 텍스트나 뜻합니다.</translation>
    </message>
    <message>
        <source>Show samples, things to try and recent files.</source>
        <translation>예제, 해 볼 것, 최근 파일을 표시합니다.</translation>
    </message>
    <message>
        <source>Show the blocks inside forwards and backwards, where they were recorded.</source>
        <translation>기록되어 있으면 순전파와 역전파 안의 블록을 표시합니다.</translation>
    </message>
    <message>
        <source>Show the counters of an imported trace, below the lanes of their process.</source>
        <translation>가져온 트레이스의 카운터를 해당 프로세스의 레인 아래에 표시합니다.</translation>
    </message>
    <message>
        <source>Show the lanes whose names contain this; * stands for anything. Esc shows all.</source>
        <translation>이름에 이것이 들어 있는 레인을 표시합니다. *는 아무 텍스트나 뜻합니다. Esc 키를 누르면 모두 표시합니다.</translation>
    </message>
    <message>
        <source>Show the mark in the timeline. (Return)</source>
        <translation>타임라인에서 표시를 보여 줍니다. (Return)</translation>
    </message>
    <message>
        <source>Show the next open run.</source>
        <translation>열려 있는 다음 실행을 표시합니다.</translation>
    </message>
    <message>
        <source>Show the open run before.</source>
        <translation>열려 있는 이전 실행을 표시합니다.</translation>
    </message>
    <message>
        <source>Show the predicted step in the timeline, as a run of the list.</source>
        <translation>예측 스텝을 타임라인에 목록의 실행으로 표시합니다.</translation>
    </message>
    <message>
        <source>Show the prediction below each lane, where there is one.</source>
        <translation>예측이 있으면 각 레인 아래에 표시합니다.</translation>
    </message>
    <message>
        <source>Show the run alone again.</source>
        <translation>다시 실행 하나만 표시합니다.</translation>
    </message>
    <message>
        <source>Show the steps of a training job of your own live, as they happen.</source>
        <translation>직접 만든 학습 작업의 스텝을 실시간으로 보여 줍니다.</translation>
    </message>
    <message>
        <source>Show the time of day of the run, where its recording tells it.</source>
        <translation>기록에 있으면 실행의 시각을 표시합니다.</translation>
    </message>
    <message>
        <source>Show the window in English.</source>
        <translation>창을 영어로 표시합니다.</translation>
    </message>
    <message>
        <source>Show the window in Korean.</source>
        <translation>창을 한국어로 표시합니다.</translation>
    </message>
    <message>
        <source>Show the window in Simplified Chinese.</source>
        <translation>창을 중국어(간체)로 표시합니다.</translation>
    </message>
    <message>
        <source>Show what each lane holds in memory, below it.</source>
        <translation>각 레인이 메모리에 가진 것을 레인 아래에 표시합니다.</translation>
    </message>
    <message>
        <source>Show why, from the ideal step to the measured one.</source>
        <translation>이상적 스텝에서 측정 스텝까지, 이유를 표시합니다.</translation>
    </message>
    <message>
        <source>Show {blocking} in the timeline.</source>
        <translation>타임라인에서 {blocking}을(를) 봅니다.</translation>
    </message>
    <message>
        <source>Show {run}</source>
        <translation>{run} 보기</translation>
    </message>
    <message>
        <source>Since the run&apos;s start</source>
        <translation>실행 시작부터</translation>
    </message>
    <message>
        <source>Since the step</source>
        <translation>스텝 시작부터</translation>
    </message>
    <message>
        <source>Single lane</source>
        <translation>단일 레인</translation>
    </message>
    <message>
        <source>Slide, 16:9</source>
        <translation>슬라이드, 16:9</translation>
    </message>
    <message>
        <source>Slow kind</source>
        <translation>느린 종류</translation>
    </message>
    <message>
        <source>Slow lane</source>
        <translation>느린 레인</translation>
    </message>
    <message>
        <source>Slow link</source>
        <translation>느린 링크</translation>
    </message>
    <message>
        <source>Slower by</source>
        <translation>느린 정도</translation>
    </message>
    <message>
        <source>Some ways are left out: {missing}.</source>
        <translation>일부 방식은 제외되었습니다: {missing}.</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>정렬 기준</translation>
    </message>
    <message>
        <source>Sort by a column; a click on its head does so too.</source>
        <translation>한 열을 기준으로 정렬합니다. 열 머리글을 클릭해도 됩니다.</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>스팬</translation>
    </message>
    <message>
        <source>Spans of the step are missing: its path is not known.</source>
        <translation>이 스텝의 스팬이 빠져 있어 경로를 알 수 없습니다.</translation>
    </message>
    <message>
        <source>Spans of which some part lies in the range.</source>
        <translation>일부라도 범위 안에 있는 스팬입니다.</translation>
    </message>
    <message>
        <source>Spans that take twice as long as the same task&apos;s median</source>
        <translation>같은 작업의 중앙값보다 두 배 걸린 스팬</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>Split (tutorial)</source>
        <translation>분할 (튜토리얼)</translation>
    </message>
    <message>
        <source>Split size</source>
        <translation>분할 크기</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>스테이지</translation>
    </message>
    <message>
        <source>Stage borders</source>
        <translation>스테이지 경계</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>스테이지</translation>
    </message>
    <message>
        <source>Stages in turn, one works at a time.</source>
        <translation>스테이지가 차례로, 한 번에 하나씩 일합니다.</translation>
    </message>
    <message>
        <source>Stages of each device, for schedules that give it several.</source>
        <translation>여러 스테이지를 두는 스케줄에서 장치당 스테이지 수입니다.</translation>
    </message>
    <message>
        <source>Stages of each lane, for schedules that give it several.</source>
        <translation>여러 스테이지를 두는 스케줄에서 레인당 스테이지 수입니다.</translation>
    </message>
    <message>
        <source>Stages overlap on micro-batches.</source>
        <translation>스테이지가 마이크로배치에서 겹칩니다.</translation>
    </message>
    <message>
        <source>Stages there and back over the lanes, no waiting inside a lane.</source>
        <translation>스테이지가 레인을 갔다가 돌아오며, 레인 안의 대기가 없습니다.</translation>
    </message>
    <message>
        <source>Stages there and back, each forward overlapped with a backward.</source>
        <translation>스테이지가 갔다가 돌아오며, 순전파마다 역전파와 겹칩니다.</translation>
    </message>
    <message>
        <source>Start to start</source>
        <translation>시작에서 시작</translation>
    </message>
    <message>
        <source>State</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>통계</translation>
    </message>
    <message>
        <source>Statistics of the range</source>
        <translation>범위의 통계</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>이전 스텝</translation>
    </message>
    <message>
        <source>Step of run {letter}</source>
        <translation>실행 {letter}의 스텝</translation>
    </message>
    <message>
        <source>Step {step}.</source>
        <translation>스텝 {step}.</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>Steps before the measured ones; the first steps are slow.</source>
        <translation>측정 전의 스텝입니다. 처음 스텝들은 느립니다.</translation>
    </message>
    <message>
        <source>Steps beside their loss</source>
        <translation>스텝과 그 손실</translation>
    </message>
    <message>
        <source>Steps left out because not every rank has told them: {count}.</source>
        <translation>모든 랭크가 알리지 않아 제외한 스텝: {count}.</translation>
    </message>
    <message>
        <source>Steps or times</source>
        <translation>스텝 또는 시간</translation>
    </message>
    <message>
        <source>Steps or times…</source>
        <translation>스텝 또는 시간…</translation>
    </message>
    <message>
        <source>Steps that are measured.</source>
        <translation>측정하는 스텝입니다.</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>중지</translation>
    </message>
    <message>
        <source>Stop counting the range.</source>
        <translation>범위 집계를 멈춥니다.</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>수신 중지</translation>
    </message>
    <message>
        <source>Stop predicting.</source>
        <translation>예측을 멈춥니다.</translation>
    </message>
    <message>
        <source>Stop query</source>
        <translation>질의 중지</translation>
    </message>
    <message>
        <source>Stop sweep</source>
        <translation>스윕 중지</translation>
    </message>
    <message>
        <source>Stop the run; what was recorded is kept.</source>
        <translation>실행을 중지합니다. 기록된 것은 남습니다.</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>중지했습니다.</translation>
    </message>
    <message>
        <source>Stopped; what was recorded is kept.</source>
        <translation>중지되었습니다. 기록된 것은 남아 있습니다.</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>전략</translation>
    </message>
    <message>
        <source>Strategy: {name}</source>
        <translation>전략: {name}</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>스윕</translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation>스윕…</translation>
    </message>
    <message>
        <source>THREE THINGS TO TRY</source>
        <translation>해 볼 만한 세 가지</translation>
    </message>
    <message>
        <source>Table (*.csv *.parquet)</source>
        <translation>표 (*.csv *.parquet)</translation>
    </message>
    <message>
        <source>Table of spans</source>
        <translation>스팬 표</translation>
    </message>
    <message>
        <source>Table…</source>
        <translation>표…</translation>
    </message>
    <message>
        <source>Take back what was moved here.</source>
        <translation>여기서 옮긴 것을 되돌립니다.</translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation>목록에서 빼기</translation>
    </message>
    <message>
        <source>Take the last zoom, pan, fit or change of the lanes back.</source>
        <translation>마지막 확대/축소, 이동, 맞추기 또는 레인 변경을 되돌립니다.</translation>
    </message>
    <message>
        <source>Take the mark away; Ctrl+Z brings it back. (Del)</source>
        <translation>표시를 없앱니다. Ctrl+Z로 되돌립니다. (Del)</translation>
    </message>
    <message>
        <source>Take the range for a step: its idle time by cause, and what can be compared.</source>
        <translation>범위를 한 스텝으로 봅니다: 원인별 유휴 시간과 비교할 수 있는 것.</translation>
    </message>
    <message>
        <source>Take the selected range of another program&apos;s trace for a step, and explain it.</source>
        <translation>다른 프로그램의 트레이스에서 선택한 범위를 한 스텝으로 보고 설명합니다.</translation>
    </message>
    <message>
        <source>Take this file off the list.</source>
        <translation>이 파일을 목록에서 뺍니다.</translation>
    </message>
    <message>
        <source>Take what training jobs stream to this address.</source>
        <translation>학습 작업이 이 주소로 보내는 것을 받습니다.</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>Tasks of the predicted step.</source>
        <translation>예측 스텝의 작업입니다.</translation>
    </message>
    <message>
        <source>Tasks take {task}; the host, which starts them, takes longer: that costs {loss} ({share}).</source>
        <translation>작업은 {task} 걸리지만 작업을 시작하는 호스트가 더 오래 걸립니다: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Tasks that compute.</source>
        <translation>계산하는 작업입니다.</translation>
    </message>
    <message>
        <source>Tasks that move data between two lanes, or to or from one.</source>
        <translation>두 레인 사이에서, 또는 한 레인으로나 한 레인에서 데이터를 옮기는 작업입니다.</translation>
    </message>
    <message>
        <source>Tasks that overlap</source>
        <translation>겹치는 작업</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>Tensor 병렬</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>텍스트</translation>
    </message>
    <message>
        <source>The bubble by the literature&apos;s formula, where there is one.</source>
        <translation>문헌의 공식에 따른 버블입니다(공식이 있는 경우).</translation>
    </message>
    <message>
        <source>The duration of the longest span.</source>
        <translation>가장 긴 스팬의 길이입니다.</translation>
    </message>
    <message>
        <source>The engine cannot be started: {reason}.</source>
        <translation>엔진을 시작할 수 없습니다: {reason}.</translation>
    </message>
    <message>
        <source>The engine refused the run without saying why.</source>
        <translation>엔진이 이유 없이 실행을 거부했습니다.</translation>
    </message>
    <message>
        <source>The file was cut: it is shown up to its last whole event.</source>
        <translation>파일이 잘렸습니다: 마지막 완전한 이벤트까지 표시합니다.</translation>
    </message>
    <message>
        <source>The first block of every stage but the first, counted from 0, such as 3,7.</source>
        <translation>첫 스테이지를 뺀 각 스테이지의 첫 블록, 0부터 셉니다. 예: 3,7.</translation>
    </message>
    <message>
        <source>The first whole step is on its way.</source>
        <translation>첫 온전한 스텝이 진행 중입니다.</translation>
    </message>
    <message>
        <source>The forward pass by pieces, one loss and one backward over all.</source>
        <translation>순전파는 조각별로, 손실과 역전파는 전체에 한 번 실행합니다.</translation>
    </message>
    <message>
        <source>1 event had not ended when the next of its row began: it is shown up to there, shorter by less than 1 %.</source>
        <translation>같은 행의 다음 이벤트가 시작할 때 이벤트 1개가 끝나지 않았습니다. 그 지점까지 표시하며, 1% 미만 짧아집니다.</translation>
    </message>
    <message>
        <source>--balance: {a} cuts by --borders or equal parameters</source>
        <translation>--balance: {a}은 --borders 또는 같은 파라미터 수로 나눕니다</translation>
    </message>
    <message>
        <source>--blocks: {a} records the blocks by itself</source>
        <translation>--blocks: {a}은 블록을 스스로 기록합니다</translation>
    </message>
    <message>
        <source>--devices {a}: {b} is for real lanes, such as 2xcpu</source>
        <translation>--devices {a}: {b}은 2xcpu와 같은 실제 레인에 쓰입니다</translation>
    </message>
    <message>
        <source>--gradients {a}: {b} keeps none</source>
        <translation>--gradients {a}: {b}은 그래디언트를 저장하지 않습니다</translation>
    </message>
    <message>
        <source>--launcher torchrun: `run` and the window start it, one job at a time</source>
        <translation>--launcher torchrun: `run`과 창에서 한 번에 한 작업씩 시작합니다</translation>
    </message>
    <message>
        <source>--nnodes {a}: use a number of hosts that divides {b} lanes</source>
        <translation>--nnodes {a}: 레인 {b}개를 나눌 수 있는 호스트 수를 쓰십시오</translation>
    </message>
    <message>
        <source>--node-rank {a}: use 0 to {b}</source>
        <translation>--node-rank {a}: 0에서 {b}까지 쓰십시오</translation>
    </message>
    <message>
        <source>--rdzv-endpoint {a}: use HOST:PORT of node 0</source>
        <translation>--rdzv-endpoint {a}: 노드 0의 HOST:PORT를 쓰십시오</translation>
    </message>
    <message>
        <source>--record: several hosts need a FOLDER that all see, or what `listen` shows</source>
        <translation>--record: 여러 호스트에는 모두가 볼 수 있는 FOLDER 또는 `listen`이 보여 주는 주소가 필요합니다</translation>
    </message>
    <message>
        <source>--schedule {a}: {b} runs what torch has, {c}</source>
        <translation>--schedule {a}: {b}은 torch에 있는 스케줄 {c}을(를) 실행합니다</translation>
    </message>
    <message>
        <source>--strategy {a}: {b} runs {c}</source>
        <translation>--strategy {a}: {b}은 {c}을(를) 실행합니다</translation>
    </message>
    <message>
        <source>--warmup 0: {a} needs 1 or more, as the recorder&apos;s first step is no measure</source>
        <translation>--warmup 0: 기록기의 첫 스텝은 측정이 아니므로 {a}에는 1 이상이 필요합니다</translation>
    </message>
    <message>
        <source>99.9 ms</source>
        <translation>99.9 ms</translation>
    </message>
    <message>
        <source>99.9 to 99.9 ms</source>
        <translation>99.9~99.9 ms</translation>
    </message>
    <message>
        <source>All-to-all</source>
        <translation>All-to-all</translation>
    </message>
    <message>
        <source>From the least to the most that a step is expected to take: as far as measured costs differ from each other, and the prediction of the run that was made from its step.</source>
        <translation>한 스텝에 예상되는 최소에서 최대 시간: 측정된 비용끼리의 차이와, 실행한 것의 예측이 측정된 스텝과 다른 만큼입니다.</translation>
    </message>
    <message>
        <source>In step {step} {place} took {taken} for {task} instead of {usual}: that cost {loss} ({share}) of this step.</source>
        <translation>스텝 {step}, {place}: {task}에 {usual} 대신 {taken} 걸렸고, 이 스텝에서 {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Lanes&apos; times scatter from step to step by more than the lanes differ: that costs {loss} ({share}).</source>
        <translation>레인 시간이 레인 사이의 차이보다 스텝마다 더 크게 흔들립니다: {loss}({share})가 더 듭니다.</translation>
    </message>
    <message>
        <source>Launcher</source>
        <translation>실행 방식</translation>
    </message>
    <message>
        <source>Predicted before this run: {step} ({range}). Measured: {measured} ({change}).</source>
        <translation>실행 전 예측: {step} ({range}). 측정: {measured} ({change}).</translation>
    </message>
    <message>
        <source>Predicted time of a step. ≈ marks micro-batches smaller or larger than all that were measured: their time is a guess, and they come last.</source>
        <translation>한 스텝의 예측 시간. ≈는 측정된 것보다 모두 작거나 큰 마이크로배치를 뜻합니다: 그 시간은 추측이며 맨 뒤에 옵니다.</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>범위</translation>
    </message>
    <message>
        <source>Tasks take {task}; lanes idle for {loss} ({share}) besides, and the trace does not tell what for.</source>
        <translation>작업은 {task} 걸립니다. 그 밖에 레인이 {loss} ({share}) 동안 유휴이며, 이유는 트레이스에 없습니다.</translation>
    </message>
    <message>
        <source>The first step is warm-up: it took {longest}, later ones {usual}.</source>
        <translation>첫 스텝은 워밍업입니다: {longest} 걸렸고, 이후 스텝은 {usual}입니다.</translation>
    </message>
    <message>
        <source>The first {n} steps are warm-up: they took up to {longest}, later ones {usual}.</source>
        <translation>처음 {n}개 스텝은 워밍업입니다: 최대 {longest} 걸렸고, 이후 스텝은 {usual}입니다.</translation>
    </message>
    <message>
        <source>The gradients of block {n} were there.</source>
        <translation>블록 {n}의 변화도가 준비되었습니다.</translation>
    </message>
    <message>
        <source>The lane is in a collective that its slowest rank has not reached.</source>
        <translation>가장 느린 랭크가 도달하지 않은 집합 통신에 레인이 있습니다.</translation>
    </message>
    <message>
        <source>The lane or device is idle though its next task had been launched, or neither a launch of it nor what it waits for is known: the trace does not tell why.</source>
        <translation>다음 작업이 이미 시작 요청되었거나, 그 요청도 기다리는 대상도 알 수 없는데 레인이나 장치가 유휴입니다. 이유는 트레이스에 없습니다.</translation>
    </message>
    <message>
        <source>The lane that computes longer than the others.</source>
        <translation>다른 레인보다 오래 계산하는 레인입니다.</translation>
    </message>
    <message>
        <source>The lanes are idle for {share} of the step, most of it ({part}) for: {cause}.</source>
        <translation>레인이 스텝의 {share} 동안 유휴이며, 그 대부분({part})의 원인: {cause}.</translation>
    </message>
    <message>
        <source>The lanes are never idle.</source>
        <translation>레인이 유휴인 때가 없습니다.</translation>
    </message>
    <message>
        <source>The lanes are starting; bars come with their first tasks.</source>
        <translation>레인이 시작되는 중입니다. 첫 작업과 함께 막대가 나타납니다.</translation>
    </message>
    <message>
        <source>The longest spans</source>
        <translation>가장 긴 스팬</translation>
    </message>
    <message>
        <source>The main reason of the difference</source>
        <translation>차이의 주된 이유</translation>
    </message>
    <message>
        <source>The mean duration of whole spans.</source>
        <translation>온전한 스팬의 평균 길이입니다.</translation>
    </message>
    <message>
        <source>The median step, or the last steps.</source>
        <translation>중앙값 스텝 또는 마지막 스텝들입니다.</translation>
    </message>
    <message>
        <source>The model that is trained: a built-in one, or a Python file of your own.</source>
        <translation>학습할 모델: 기본 제공 모델 또는 직접 만든 Python 파일입니다.</translation>
    </message>
    <message>
        <source>The most that a lane holds at a time, each of one stage and micro-batch.</source>
        <translation>레인이 한 번에 가지는 최댓값이며, 각각 한 스테이지와 마이크로배치의 것입니다.</translation>
    </message>
    <message>
        <source>The most that a lane holds: an estimate from the model and the plan.</source>
        <translation>레인이 가지는 최댓값: 모델과 계획에서 추정한 값입니다.</translation>
    </message>
    <message>
        <source>The most that each lane held</source>
        <translation>각 레인이 가장 많이 차지한 양</translation>
    </message>
    <message>
        <source>The next task had all that it needed, but came late.</source>
        <translation>다음 작업에 필요한 것은 모두 있었지만 늦게 시작했습니다.</translation>
    </message>
    <message>
        <source>The next task was launched, but its lane had not begun it.</source>
        <translation>다음 작업이 런치되었지만 레인이 아직 시작하지 않았습니다.</translation>
    </message>
    <message>
        <source>The number format of parameters and activations.</source>
        <translation>매개변수와 활성값의 수 형식입니다.</translation>
    </message>
    <message>
        <source>The order in which tasks need each other costs {loss} ({share}).</source>
        <translation>작업의 의존 순서: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>The order of the step&apos;s passes, as if all took the same time.</source>
        <translation>모든 패스가 같은 시간이 걸린다고 할 때 스텝의 패스 순서입니다.</translation>
    </message>
    <message>
        <source>The predicted step appears here.</source>
        <translation>예측 스텝이 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>The range is still being counted.</source>
        <translation>범위를 아직 집계하는 중입니다.</translation>
    </message>
    <message>
        <source>The report has {n} of {all} measured steps: the median one and the last ones.</source>
        <translation>이 보고서에는 측정 스텝 {all}개 중 {n}개가 있습니다. 중앙값 스텝과 마지막 스텝들입니다.</translation>
    </message>
    <message>
        <source>The run failed.</source>
        <translation>실행이 실패했습니다.</translation>
    </message>
    <message>
        <source>The run will measure the blocks, and cut where their times are balanced.</source>
        <translation>실행이 블록을 측정하고 시간이 균형을 이루는 곳에서 나눕니다.</translation>
    </message>
    <message>
        <source>The same schedule on two cores at once: real copies, a real host between the tasks.</source>
        <translation>같은 스케줄을 두 코어에서 동시에: 실제 복사, 작업 사이의 실제 호스트.</translation>
    </message>
    <message>
        <source>The schedule (×2 is with two chunks a lane), or the strategy that has none.</source>
        <translation>스케줄(×2는 레인당 청크 2개), 또는 스케줄이 없는 전략입니다.</translation>
    </message>
    <message>
        <source>The schedule says itself how many stages a lane holds.</source>
        <translation>레인에 둘 스테이지 수는 스케줄이 스스로 정합니다.</translation>
    </message>
    <message>
        <source>The step against that of the present settings, which is predicted alike.</source>
        <translation>현재 설정의 스텝(같은 방법으로 예측)과 비교한 스텝입니다.</translation>
    </message>
    <message>
        <source>The step has more spans than the timeline has room for: it has the first {n}.</source>
        <translation>이 스텝의 스팬이 타임라인에 담을 수 있는 수보다 많아 처음 {n}개만 있습니다.</translation>
    </message>
    <message>
        <source>The step is not over: nothing is told yet of what the lane does next.</source>
        <translation>스텝이 끝나지 않았습니다. 레인이 다음에 무엇을 할지 아직 알 수 없습니다.</translation>
    </message>
    <message>
        <source>The step lacks spans: what looks idle may be work that was not told.</source>
        <translation>스텝에 스팬이 빠져 있습니다. 유휴로 보이는 것이 기록되지 않은 작업일 수 있습니다.</translation>
    </message>
    <message>
        <source>The sum of their parts in the range.</source>
        <translation>범위 안에 있는 부분의 합입니다.</translation>
    </message>
    <message>
        <source>The time axis.</source>
        <translation>시간 축입니다.</translation>
    </message>
    <message>
        <source>The timeline does not show counters.</source>
        <translation>타임라인에는 카운터가 표시되지 않습니다.</translation>
    </message>
    <message>
        <source>The timeline has the first {n} of {all} lanes.</source>
        <translation>타임라인에는 레인 {all}개 중 처음 {n}개가 있습니다.</translation>
    </message>
    <message>
        <source>The timeline has the first {part} of {all}.</source>
        <translation>타임라인에는 {all} 중 처음 {part}가 있습니다.</translation>
    </message>
    <message>
        <source>The timeline has the last {n} of these {all} steps.</source>
        <translation>타임라인에는 이 {all}개 스텝 중 마지막 {n}개가 있습니다.</translation>
    </message>
    <message>
        <source>The timeline needs JavaScript; the tables below say the same in figures.</source>
        <translation>타임라인에는 JavaScript가 필요합니다. 아래 표가 같은 것을 숫자로 보여 줍니다.</translation>
    </message>
    <message>
        <source>The tutorials&apos; 10-10-5 in two blocks.</source>
        <translation>튜토리얼의 10-10-5를 두 블록으로.</translation>
    </message>
    <message>
        <source>The tutorials&apos; Linear(5, 2).</source>
        <translation>튜토리얼의 Linear(5, 2).</translation>
    </message>
    <message>
        <source>The whole batch on one lane, for reference.</source>
        <translation>참고용으로 전체 배치를 한 레인에서 실행합니다.</translation>
    </message>
    <message>
        <source>The whole run; click or drag to move the view.</source>
        <translation>전체 실행입니다. 클릭하거나 끌면 보기가 이동합니다.</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>테마</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>다음</translation>
    </message>
    <message>
        <source>Then {task} begins.</source>
        <translation>이어서 {task} 시작.</translation>
    </message>
    <message>
        <source>There are no marks: M sets one.</source>
        <translation>표시가 없습니다. M을 누르면 표시를 만듭니다.</translation>
    </message>
    <message>
        <source>There is no comparison to write yet.</source>
        <translation>아직 내보낼 비교가 없습니다.</translation>
    </message>
    <message>
        <source>There is no file {name}.</source>
        <translation>{name} 파일이 없습니다.</translation>
    </message>
    <message>
        <source>There is no formula without a pipeline&apos;s schedule.</source>
        <translation>파이프라인의 스케줄이 없으면 공식도 없습니다.</translation>
    </message>
    <message>
        <source>There is no other run yet: open a recording, or run something else.</source>
        <translation>아직 다른 실행이 없습니다. 기록을 열거나 다른 것을 실행하세요.</translation>
    </message>
    <message>
        <source>There is no prediction: {why}</source>
        <translation>예측이 없습니다: {why}</translation>
    </message>
    <message>
        <source>There is no run to ask: press Run, or open a recording.</source>
        <translation>질의할 실행이 없습니다: 실행을 누르거나 기록을 여세요.</translation>
    </message>
    <message>
        <source>There is no run to compare yet: press Run, or open a recording.</source>
        <translation>아직 비교할 실행이 없습니다. 실행을 누르거나 기록을 여세요.</translation>
    </message>
    <message>
        <source>There is no run to draw.</source>
        <translation>그릴 실행이 없습니다.</translation>
    </message>
    <message>
        <source>There is no run to search: press Run, or open a recording.</source>
        <translation>검색할 실행이 없습니다. 실행을 누르거나 기록을 여세요.</translation>
    </message>
    <message>
        <source>There is no run to write yet: press Run, or open a recording.</source>
        <translation>아직 내보낼 실행이 없습니다. 실행을 누르거나 기록을 여세요.</translation>
    </message>
    <message>
        <source>There is not enough memory for this.</source>
        <translation>이 작업을 하기에 메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>메모리가 부족합니다.</translation>
    </message>
    <message>
        <source>This address cannot be listened on. {reason}</source>
        <translation>이 주소로 수신할 수 없습니다. {reason}</translation>
    </message>
    <message>
        <source>This cannot run here. {reason}</source>
        <translation>여기서는 실행할 수 없습니다. {reason}</translation>
    </message>
    <message>
        <source>This could not be done: {name}: {why}</source>
        <translation>할 수 없었습니다: {name}: {why}</translation>
    </message>
    <message>
        <source>This recording does not tell its settings: another program made it.</source>
        <translation>이 기록에는 설정이 없습니다. 다른 프로그램이 만든 것입니다.</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>이 실행</translation>
    </message>
    <message>
        <source>This run cannot be saved: there is no room for it on the disk. {reason}</source>
        <translation>이 실행을 저장할 수 없습니다. 디스크에 공간이 없습니다. {reason}</translation>
    </message>
    <message>
        <source>This run has no whole step to take costs from. Run once: the costs come from its calibration.</source>
        <translation>이 실행에는 비용을 얻을 온전한 스텝이 없습니다. 한 번 실행하세요. 비용은 그 보정에서 나옵니다.</translation>
    </message>
    <message>
        <source>This run has recorded no spans.</source>
        <translation>이 실행은 스팬을 기록하지 않았습니다.</translation>
    </message>
    <message>
        <source>This run has recorded no spans: there is nothing to export.</source>
        <translation>이 실행은 스팬을 기록하지 않아 내보낼 것이 없습니다.</translation>
    </message>
    <message>
        <source>This step has {n} tasks: explaining it takes some seconds.</source>
        <translation>이 스텝에는 작업이 {n}개 있습니다. 설명하는 데 몇 초 걸립니다.</translation>
    </message>
    <message>
        <source>This step has {n} tasks: it is explained when the run has ended.</source>
        <translation>이 스텝에는 작업이 {n}개 있습니다. 실행이 끝나면 설명합니다.</translation>
    </message>
    <message>
        <source>This strategy does not cut the model into stages.</source>
        <translation>이 전략은 모델을 스테이지로 나누지 않습니다.</translation>
    </message>
    <message>
        <source>This trace says nothing of training steps.</source>
        <translation>이 트레이스에는 학습 스텝에 대한 정보가 없습니다.</translation>
    </message>
    <message>
        <source>This version has no strategy {name}: its settings cannot be used.</source>
        <translation>이 버전에는 {name} 전략이 없어 그 설정을 사용할 수 없습니다.</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>Time in run</source>
        <translation>실행 내 시간</translation>
    </message>
    <message>
        <source>Time in which the lane communicates and does not compute.</source>
        <translation>레인이 통신하고 계산하지 않는 시간입니다.</translation>
    </message>
    <message>
        <source>Time in which the lane computes.</source>
        <translation>레인이 계산하는 시간입니다.</translation>
    </message>
    <message>
        <source>Time in which the lane does neither.</source>
        <translation>레인이 둘 다 하지 않는 시간입니다.</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>시각</translation>
    </message>
    <message>
        <source>Time of each kind on each lane</source>
        <translation>레인별 종류별 시간</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>타임라인</translation>
    </message>
    <message>
        <source>Timeline of run B</source>
        <translation>실행 B의 타임라인</translation>
    </message>
    <message>
        <source>Timeline of {run}</source>
        <translation>{run}의 타임라인</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>타임라인</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>제목</translation>
    </message>
    <message>
        <source>Told apart also without colour.</source>
        <translation>색 없이도 구별됩니다.</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>도구</translation>
    </message>
    <message>
        <source>Torch&apos;s own engine does not have this strategy.</source>
        <translation>torch 자체 엔진에는 이 전략이 없습니다.</translation>
    </message>
    <message>
        <source>Torch&apos;s own engine has no virtual lanes.</source>
        <translation>torch 자체 엔진에는 가상 레인이 없습니다.</translation>
    </message>
    <message>
        <source>ToyModel</source>
        <translation>ToyModel</translation>
    </message>
    <message>
        <source>Transfers between lanes {low} and {high} take {factor} times as long as the same over other links: that costs {loss} ({share}).</source>
        <translation>레인 {low}, {high} 사이의 전송이 같은 전송이 다른 링크에서 걸리는 시간의 {factor}배 걸립니다: {loss} ({share}) 손해입니다.</translation>
    </message>
    <message>
        <source>Try width {width}</source>
        <translation>너비 {width} 시도</translation>
    </message>
    <message>
        <source>Tutorial</source>
        <translation>튜토리얼</translation>
    </message>
    <message>
        <source>Two columns, 178 mm</source>
        <translation>두 단, 178 mm</translation>
    </message>
    <message>
        <source>Two lanes between which transfers take longer by a factor, such as 1-2:4; repeatable.</source>
        <translation>사이의 전송이 지정한 배수만큼 오래 걸리는 두 레인, 예: 1-2:4. 여러 번 쓸 수 있습니다.</translation>
    </message>
    <message>
        <source>Two replicas of the model, one down and one up the lanes.</source>
        <translation>모델의 복제본 둘, 하나는 레인을 내려가고 하나는 올라갑니다.</translation>
    </message>
    <message>
        <source>Two short pipelines on 4 lanes, then one above the other on one axis.</source>
        <translation>레인 4개에서 짧은 파이프라인 둘을 실행해 같은 축에서 위아래로 놓습니다.</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>형식</translation>
    </message>
    <message>
        <source>Type a few letters of what you want to do</source>
        <translation>하려는 일의 글자를 몇 개 입력하세요</translation>
    </message>
    <message>
        <source>Type a query, or choose an example.</source>
        <translation>질의를 입력하거나 예제를 고르세요.</translation>
    </message>
    <message>
        <source>Use the language of the system, if the window speaks it.</source>
        <translation>창이 지원하면 시스템의 언어를 사용합니다.</translation>
    </message>
    <message>
        <source>Use this run&apos;s settings</source>
        <translation>이 실행의 설정 사용</translation>
    </message>
    <message>
        <source>Use virtual lanes</source>
        <translation>가상 레인 사용</translation>
    </message>
    <message>
        <source>Use {count} virtual lanes</source>
        <translation>가상 레인 {count}개 사용</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>값</translation>
    </message>
    <message>
        <source>Values with commas between them, or semicolons where a value has commas; default stands for what is done without the option.</source>
        <translation>쉼표로 구분한 값이며, 값에 쉼표가 있으면 세미콜론으로 구분합니다. default는 옵션이 없을 때의 동작을 뜻합니다.</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>바꿀 옵션</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>결론</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>검증</translation>
    </message>
    <message>
        <source>View</source>
        <translation>보기</translation>
    </message>
    <message>
        <source>Waited for</source>
        <translation>기다린 대상</translation>
    </message>
    <message>
        <source>Waited for {what}.</source>
        <translation>기다린 대상: {what}.</translation>
    </message>
    <message>
        <source>Waiting for the next batch of data costs {loss} ({share}).</source>
        <translation>다음 데이터 배치를 기다리는 손실은 {loss}입니다 ({share}).</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>워밍업</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>경고</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>경고와 오류</translation>
    </message>
    <message>
        <source>Way</source>
        <translation>방식</translation>
    </message>
    <message>
        <source>Ways predicted</source>
        <translation>예측한 방식</translation>
    </message>
    <message>
        <source>Ways to run the model, by predicted step time</source>
        <translation>모델을 실행하는 방식, 예측 스텝 시간순</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>웹 페이지 (*.html)</translation>
    </message>
    <message>
        <source>Web page, 190 mm</source>
        <translation>웹 페이지, 190 mm</translation>
    </message>
    <message>
        <source>What contributes to the difference</source>
        <translation>차이에 기여한 것</translation>
    </message>
    <message>
        <source>What else is put in: those of the run, or others.</source>
        <translation>그 밖에 넣는 것: 실행의 결함 또는 다른 결함입니다.</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>가정 분석</translation>
    </message>
    <message>
        <source>What is asked</source>
        <translation>질문</translation>
    </message>
    <message>
        <source>What is visible</source>
        <translation>보이는 것</translation>
    </message>
    <message>
        <source>What is wrong with the colours</source>
        <translation>색의 문제점</translation>
    </message>
    <message>
        <source>What it adds to B&apos;s step: its mean over B&apos;s lanes less that over A&apos;s.</source>
        <translation>B의 스텝에 더하는 시간: B의 레인 평균에서 A의 레인 평균을 뺀 값입니다.</translation>
    </message>
    <message>
        <source>What it waited for</source>
        <translation>기다린 대상</translation>
    </message>
    <message>
        <source>What lies between virtual lanes: latency in us and GB/s, a link&apos;s name, or measured.</source>
        <translation>가상 레인 사이의 연결: us 단위 지연 시간과 GB/s, 링크 이름, 또는 measured.</translation>
    </message>
    <message>
        <source>What moving data adds, where no computing hides it.</source>
        <translation>가려 줄 계산이 없는 곳에서 데이터 이동이 더하는 시간입니다.</translation>
    </message>
    <message>
        <source>What runs the lanes: this app&apos;s engine, or torchrun with torch&apos;s own one.</source>
        <translation>레인을 실행하는 것: 이 앱의 엔진, 또는 torch 자체 엔진을 쓰는 torchrun.</translation>
    </message>
    <message>
        <source>What the blocks of a lane may hold; Balance keeps within it.</source>
        <translation>레인의 블록이 차지할 수 있는 양. 균형은 이를 넘지 않습니다.</translation>
    </message>
    <message>
        <source>What the colours and patterns mean.</source>
        <translation>색과 무늬의 뜻입니다.</translation>
    </message>
    <message>
        <source>What the job does after its update, before anything else of the next step.</source>
        <translation>작업이 갱신 뒤, 다음 스텝의 다른 일 전에 하는 일.</translation>
    </message>
    <message>
        <source>What the lane with the most computing has above an even share.</source>
        <translation>계산이 가장 많은 레인이 고른 몫을 넘는 부분입니다.</translation>
    </message>
    <message>
        <source>What the median step took where this way was run.</source>
        <translation>이 방식으로 실행했을 때 중앙값 스텝에 걸린 시간.</translation>
    </message>
    <message>
        <source>What the order of the tasks adds, though nothing moves and nobody is late.</source>
        <translation>이동이 없고 늦는 것이 없어도 작업 순서가 더하는 시간입니다.</translation>
    </message>
    <message>
        <source>What the stages of a lane may hold at most, where measured times are balanced.</source>
        <translation>측정 시간의 균형을 맞출 때 한 레인의 스테이지가 가질 수 있는 최대치.</translation>
    </message>
    <message>
        <source>What the step takes.</source>
        <translation>스텝에 걸리는 시간입니다.</translation>
    </message>
    <message>
        <source>What the tasks take: as in the run that is shown, or as a file says.</source>
        <translation>작업에 걸리는 시간: 보이는 실행에서처럼, 또는 파일에 있는 대로입니다.</translation>
    </message>
    <message>
        <source>What the tasks took longer than they were measured to cost before the run.</source>
        <translation>실행 전에 측정한 비용보다 작업이 더 걸린 시간입니다.</translation>
    </message>
    <message>
        <source>What to call this run, in this sitting:</source>
        <translation>이번 세션에서 이 실행의 이름:</translation>
    </message>
    <message>
        <source>What to remember of this run, in this sitting:</source>
        <translation>이번 세션에서 이 실행에 대해 기억할 것:</translation>
    </message>
    <message>
        <source>What to run</source>
        <translation>실행할 것</translation>
    </message>
    <message>
        <source>What updates the parameters.</source>
        <translation>매개변수를 갱신하는 것입니다.</translation>
    </message>
    <message>
        <source>What waited for it</source>
        <translation>기다리던 대상</translation>
    </message>
    <message>
        <source>What waiting for the next batch of data adds.</source>
        <translation>다음 데이터 배치를 기다리느라 더해지는 시간.</translation>
    </message>
    <message>
        <source>What was recorded is kept; press Run to start afresh.</source>
        <translation>기록된 것은 남아 있습니다. 실행을 누르면 새로 시작합니다.</translation>
    </message>
    <message>
        <source>What would help</source>
        <translation>개선할 방법</translation>
    </message>
    <message>
        <source>What {schedule}&apos;s formula gives, by makespan, for this step&apos;s mean costs.</source>
        <translation>{schedule}의 공식이 이 스텝의 평균 비용에서 총 소요 시간 기준으로 주는 값입니다.</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>휠</translation>
    </message>
    <message>
        <source>Wheel over the lanes&apos; names</source>
        <translation>레인 이름 위에서 휠</translation>
    </message>
    <message>
        <source>Where the random parameters and data begin.</source>
        <translation>무작위 매개변수와 데이터의 시작점입니다.</translation>
    </message>
    <message>
        <source>Which devices work, such as 2xcpu, cuda:0,cuda:1, 2xcuda:0 or 8xvirtual.</source>
        <translation>일하는 장치, 예: 2xcpu, cuda:0,cuda:1, 2xcuda:0 또는 8xvirtual.</translation>
    </message>
    <message>
        <source>Which lines of the log are shown.</source>
        <translation>표시할 로그 줄입니다.</translation>
    </message>
    <message>
        <source>Which rows go to which lane appears here with the first step.</source>
        <translation>어느 행이 어느 레인으로 가는지 첫 스텝과 함께 여기에 나타납니다.</translation>
    </message>
    <message>
        <source>Which step is explained.</source>
        <translation>설명할 스텝입니다.</translation>
    </message>
    <message>
        <source>Which step of run {letter} is compared.</source>
        <translation>비교할 실행 {letter}의 스텝입니다.</translation>
    </message>
    <message>
        <source>Who came last to collectives</source>
        <translation>집합 통신에 마지막으로 온 랭크</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>누가 누구를 기다리는가</translation>
    </message>
    <message>
        <source>Whole max</source>
        <translation>온전한 최대</translation>
    </message>
    <message>
        <source>Whole mean</source>
        <translation>온전한 평균</translation>
    </message>
    <message>
        <source>Whole p50</source>
        <translation>온전한 p50</translation>
    </message>
    <message>
        <source>Whole p99</source>
        <translation>온전한 p99</translation>
    </message>
    <message>
        <source>Whose durations the histogram shows.</source>
        <translation>히스토그램에 길이를 표시할 대상입니다.</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>이유</translation>
    </message>
    <message>
        <source>Why a step takes as long as it does appears here with the first whole step: from the ideal step, rung by rung, to the measured one.</source>
        <translation>스텝에 그만큼의 시간이 걸리는 이유가 첫 온전한 스텝과 함께 여기에 나타납니다: 이상적 스텝에서 한 단계씩 측정 스텝까지.</translation>
    </message>
    <message>
        <source>Why the lane is idle</source>
        <translation>레인이 유휴인 이유</translation>
    </message>
    <message>
        <source>Why, as charts and lists</source>
        <translation>이유, 차트와 목록으로</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>너비</translation>
    </message>
    <message>
        <source>Width and height of every image in pixels.</source>
        <translation>모든 이미지의 너비와 높이(픽셀)입니다.</translation>
    </message>
    <message>
        <source>Widths are shares of the parameters; press Measure to see times and memory.</source>
        <translation>너비는 파라미터 비율입니다. 측정을 누르면 시간과 메모리를 볼 수 있습니다.</translation>
    </message>
    <message>
        <source>Words below the picture.</source>
        <translation>그림 아래의 글입니다.</translation>
    </message>
    <message>
        <source>Work out the ladder and the idle time of this run.</source>
        <translation>이 실행의 단계와 유휴 시간을 알아냅니다.</translation>
    </message>
    <message>
        <source>Write a file for each rank, as PyTorch&apos;s profiler does, into a new folder.</source>
        <translation>PyTorch 프로파일러처럼 랭크마다 파일 하나를 새 폴더에 씁니다.</translation>
    </message>
    <message>
        <source>Write a mark&apos;s note.</source>
        <translation>표시의 메모를 씁니다.</translation>
    </message>
    <message>
        <source>Write a page of HTML with pictures and tables of the run.</source>
        <translation>실행의 그림과 표가 있는 HTML 페이지를 씁니다.</translation>
    </message>
    <message>
        <source>Write a row for each run as CSV.</source>
        <translation>실행마다 한 행씩 CSV로 씁니다.</translation>
    </message>
    <message>
        <source>Write all spans for Perfetto or chrome://tracing; why lanes wait is left out.</source>
        <translation>Perfetto나 chrome://tracing용으로 모든 스팬을 씁니다. 레인이 기다리는 이유는 빠집니다.</translation>
    </message>
    <message>
        <source>Write all spans, or those that the table shows, a line each.</source>
        <translation>모든 스팬 또는 표에 보이는 스팬을 한 줄씩 씁니다.</translation>
    </message>
    <message>
        <source>Write another note. (F2)</source>
        <translation>메모를 다시 씁니다. (F2)</translation>
    </message>
    <message>
        <source>Write exactly the time that is visible as PNG, SVG or PDF.</source>
        <translation>보이는 시간 그대로 PNG, SVG 또는 PDF로 씁니다.</translation>
    </message>
    <message>
        <source>Write it as PNG, SVG or PDF.</source>
        <translation>PNG, SVG 또는 PDF로 씁니다.</translation>
    </message>
    <message>
        <source>Write the chart as PNG, SVG or PDF.</source>
        <translation>차트를 PNG, SVG 또는 PDF로 씁니다.</translation>
    </message>
    <message>
        <source>Write the costs that are chosen to a JSON file.</source>
        <translation>선택한 비용을 JSON 파일로 씁니다.</translation>
    </message>
    <message>
        <source>Write the median step as Chakra execution traces, one for each rank, into a new folder.</source>
        <translation>중앙값 스텝을 랭크마다 하나씩 Chakra 실행 트레이스로 새 폴더에 씁니다.</translation>
    </message>
    <message>
        <source>Write what is seen of both runs as PNG, SVG or PDF, or a report as HTML.</source>
        <translation>두 실행의 보이는 부분을 PNG, SVG 또는 PDF로, 또는 보고서를 HTML로 씁니다.</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>보고서 쓰는 중…</translation>
    </message>
    <message>
        <source>Writing the trace…</source>
        <translation>트레이스를 쓰는 중…</translation>
    </message>
    <message>
        <source>ZB-H1</source>
        <translation>ZB-H1</translation>
    </message>
    <message>
        <source>ZB-H2</source>
        <translation>ZB-H2</translation>
    </message>
    <message>
        <source>ZB-V</source>
        <translation>ZB-V</translation>
    </message>
    <message>
        <source>Zoom at the pointer.</source>
        <translation>포인터 위치에서 확대/축소합니다.</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>확대</translation>
    </message>
    <message>
        <source>Zoom in to see each of them.</source>
        <translation>각각을 보려면 확대하세요.</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>축소</translation>
    </message>
    <message>
        <source>a CSV schedule cannot say {a}, a pass over all micro-batches at once</source>
        <translation>CSV 스케줄에는 모든 마이크로배치에 대한 한 번의 패스인 {a}을(를) 쓸 수 없습니다</translation>
    </message>
    <message>
        <source>a block: 2, 0-5</source>
        <translation>블록: 2, 0-5</translation>
    </message>
    <message>
        <source>a bucket: 1, 0|2</source>
        <translation>버킷: 1, 0|2</translation>
    </message>
    <message>
        <source>a clock&apos;s uncertainty is no finite number</source>
        <translation>시계의 불확실도가 유한한 수가 아닙니다</translation>
    </message>
    <message>
        <source>a lane&apos;s counter is out of bounds</source>
        <translation>레인의 카운터가 범위를 벗어났습니다</translation>
    </message>
    <message>
        <source>a lane&apos;s number or name: 2, 0-3, cpu*</source>
        <translation>레인의 번호나 이름: 2, 0-3, cpu*</translation>
    </message>
    <message>
        <source>a lane&apos;s steps go back in time</source>
        <translation>레인의 스텝이 시간을 거슬러 갑니다</translation>
    </message>
    <message>
        <source>a list with {a}</source>
        <translation>{a}이(가) 든 목록</translation>
    </message>
    <message>
        <source>a mark ends at {a} ns, before it starts at {b} ns</source>
        <translation>표시의 끝 {a} ns가 시작 {b} ns보다 앞섭니다</translation>
    </message>
    <message>
        <source>a message has a negative size</source>
        <translation>메시지의 바이트 수가 0보다 작습니다</translation>
    </message>
    <message>
        <source>a message has {a} bytes: {b} are taken</source>
        <translation>메시지가 {a}바이트입니다: {b}까지 받습니다</translation>
    </message>
    <message>
        <source>the metadata of a message is invalid</source>
        <translation>메시지가 스스로에 대해 말하는 내용이 맞지 않습니다</translation>
    </message>
    <message>
        <source>a micro-batch</source>
        <translation>마이크로배치 하나</translation>
    </message>
    <message>
        <source>a micro-batch: 3, 2-5, 4-</source>
        <translation>마이크로배치: 3, 2-5, 4-</translation>
    </message>
    <message>
        <source>a name has more than {a} characters</source>
        <translation>이름이 {a}자를 넘습니다</translation>
    </message>
    <message>
        <source>a plan follows the row about the imported trace</source>
        <translation>계획이 전체에 대한 내용 뒤에 있습니다</translation>
    </message>
    <message>
        <source>a quote is open; end the words that it begins with another &quot;</source>
        <translation>따옴표가 닫히지 않았습니다. 시작한 곳의 단어들을 &quot;로 닫으세요</translation>
    </message>
    <message>
        <source>a rank&apos;s recording has ended: {a}</source>
        <translation>한 랭크의 기록이 끝났습니다: {a}</translation>
    </message>
    <message>
        <source>a replica&apos;s share of {a} rows</source>
        <translation>복제본의 몫인 {a} 행</translation>
    </message>
    <message>
        <source>a replica: 0, 1-</source>
        <translation>복제본: 0, 1-</translation>
    </message>
    <message>
        <source>a row does not have exactly one note</source>
        <translation>한 행에 메모가 하나가 아닙니다</translation>
    </message>
    <message>
        <source>a run is under way: stop it first</source>
        <translation>실행이 진행 중입니다. 먼저 중지하세요</translation>
    </message>
    <message>
        <source>a second rank {a} was refused: the first one is still connected</source>
        <translation>두 번째 랭크 {a}이(가) 거부되었습니다. 첫 번째가 아직 연결되어 있습니다</translation>
    </message>
    <message>
        <source>a span ends before it starts</source>
        <translation>스팬이 시작하기 전에 끝납니다</translation>
    </message>
    <message>
        <source>a span has no step</source>
        <translation>스팬에 스텝이 없습니다</translation>
    </message>
    <message>
        <source>a span is of a plan that the recording does not have</source>
        <translation>스팬의 계획이 기록되지 않았습니다</translation>
    </message>
    <message>
        <source>a span is of a task that its plan does not have</source>
        <translation>스팬의 작업이 그 계획에 없습니다</translation>
    </message>
    <message>
        <source>a span&apos;s step is out of bounds</source>
        <translation>스팬의 스텝이 범위를 벗어났습니다</translation>
    </message>
    <message>
        <source>a stage: 1, 0-3</source>
        <translation>스테이지: 1, 0-3</translation>
    </message>
    <message>
        <source>a step takes {a} s: its costs are not measured beforehand</source>
        <translation>스텝이 {a} s 걸립니다. 비용을 미리 측정하지 않습니다</translation>
    </message>
    <message>
        <source>a step: 5, 10-20</source>
        <translation>스텝: 5, 10-20</translation>
    </message>
    <message>
        <source>a task has no {a}</source>
        <translation>작업에 {a} 값이 없습니다</translation>
    </message>
    <message>
        <source>a task is of {a} {b}, and the last one is {c}</source>
        <translation>작업이 {a} {b}에 속하는데 마지막은 {c}입니다</translation>
    </message>
    <message>
        <source>a task of a step comes twice</source>
        <translation>한 스텝의 작업이 두 번 왔습니다</translation>
    </message>
    <message>
        <source>a task of the plan: 17</source>
        <translation>계획의 작업: 17</translation>
    </message>
    <message>
        <source>a task&apos;s {a} is out of bounds</source>
        <translation>작업의 {a} 값이 범위를 벗어났습니다</translation>
    </message>
    <message>
        <source>a time is out of bounds</source>
        <translation>시간이 범위를 벗어났습니다</translation>
    </message>
    <message>
        <source>a value of {a} is longer than {b}; use a part of it, as in left(text, 1000)</source>
        <translation>{a}의 값 하나가 {b}보다 깁니다; left(text, 1000)처럼 일부만 쓰세요</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>활성값</translation>
    </message>
    <message>
        <source>activations held</source>
        <translation>가지고 있는 활성값</translation>
    </message>
    <message>
        <source>adds to the step</source>
        <translation>스텝에 더함</translation>
    </message>
    <message>
        <source>alignment</source>
        <translation>맞춤</translation>
    </message>
    <message>
        <source>all lanes</source>
        <translation>모든 레인</translation>
    </message>
    <message>
        <source>all {n}</source>
        <translation>{n}개 모두</translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation>all-gather</translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation>all-reduce</translation>
    </message>
    <message>
        <source>all-to-all</source>
        <translation>all-to-all</translation>
    </message>
    <message>
        <source>all; or 0-3, cpu:1</source>
        <translation>모두, 또는 0-3, cpu:1</translation>
    </message>
    <message>
        <source>and {n} more ranks</source>
        <translation>그 밖에 랭크 {n}개</translation>
    </message>
    <message>
        <source>any port</source>
        <translation>아무 포트</translation>
    </message>
    <message>
        <source>as it goes</source>
        <translation>되는 대로</translation>
    </message>
    <message>
        <source>as the costs</source>
        <translation>비용대로</translation>
    </message>
    <message>
        <source>at</source>
        <translation>시각</translation>
    </message>
    <message>
        <source>at {time}, over {length}</source>
        <translation>{time}, 길이 {length}</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>자동</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>역전파</translation>
    </message>
    <message>
        <source>backward-input</source>
        <translation>입력 역전파</translation>
    </message>
    <message>
        <source>backward-weight</source>
        <translation>가중치 역전파</translation>
    </message>
    <message>
        <source>balance</source>
        <translation>균형</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>배치</translation>
    </message>
    <message>
        <source>batch normalisation depends on how the batch is split: every step is compared with the same split, run in order on one lane</source>
        <translation>배치 정규화는 배치의 분할 방식에 따라 달라집니다. 모든 스텝을 같은 분할로 한 레인에서 차례로 실행한 것과 비교합니다</translation>
    </message>
    <message>
        <source>batch normalisation needs more than one value per channel on every lane that has rows: use a larger --batch or fewer lanes</source>
        <translation>배치 정규화에는 행이 있는 모든 레인에서 채널당 값이 둘 이상 필요합니다. --batch 값을 늘리거나 레인을 줄이세요</translation>
    </message>
    <message>
        <source>batch {rows}</source>
        <translation>배치 {rows}</translation>
    </message>
    <message>
        <source>because of</source>
        <translation>원인</translation>
    </message>
    <message>
        <source>because the host is late</source>
        <translation>호스트가 늦음</translation>
    </message>
    <message>
        <source>began at {time}, did not end</source>
        <translation>{time}에 시작, 끝나지 않음</translation>
    </message>
    <message>
        <source>between steps</source>
        <translation>스텝 사이</translation>
    </message>
    <message>
        <source>between steps, {time}</source>
        <translation>스텝 사이, {time}</translation>
    </message>
    <message>
        <source>block</source>
        <translation>블록</translation>
    </message>
    <message>
        <source>block {a} begins with no linear layer</source>
        <translation>블록 {a}이(가) 선형 계층으로 시작하지 않습니다</translation>
    </message>
    <message>
        <source>block {a} is no transformer block</source>
        <translation>블록 {a}은(는) 트랜스포머 블록이 아닙니다</translation>
    </message>
    <message>
        <source>block {n}</source>
        <translation>블록 {n}</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>블록</translation>
    </message>
    <message>
        <source>blocks are not recorded: torch runs the ranks by itself</source>
        <translation>블록은 기록되지 않습니다. torch가 랭크를 스스로 실행합니다</translation>
    </message>
    <message>
        <source>blocks {a} and {b} of {c} share a parameter ({d}.{e}), and virtual lanes run a rank block by block; put both into one block, or use real lanes</source>
        <translation>{c}의 블록 {a}, {b}이(가) 매개변수({d}.{e})를 공유하지만 가상 레인은 랭크를 블록마다 실행합니다. 둘을 한 블록에 넣거나 실제 레인을 사용하세요</translation>
    </message>
    <message>
        <source>blocks {a} and {b} share a parameter ({c}.{d}), and each block is sharded by itself; put both into one block, or use ddp</source>
        <translation>블록 {a}, {b}이(가) 매개변수({c}.{d})를 공유하지만 각 블록은 따로 샤딩됩니다. 둘을 한 블록에 넣거나 ddp를 사용하세요</translation>
    </message>
    <message>
        <source>borders</source>
        <translation>경계</translation>
    </message>
    <message>
        <source>both {a} and {b}: one is too many</source>
        <translation>{a}, {b}: 둘 중 하나만 쓰세요</translation>
    </message>
    <message>
        <source>broke off: {a}</source>
        <translation>중단됨: {a}</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>버블</translation>
    </message>
    <message>
        <source>bubblescope: not all was recorded: {a}</source>
        <translation>bubblescope: 모두 기록하지 못했습니다: {a}</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>버킷</translation>
    </message>
    <message>
        <source>bucket mb</source>
        <translation>버킷 MB</translation>
    </message>
    <message>
        <source>bucket {n}</source>
        <translation>버킷 {n}</translation>
    </message>
    <message>
        <source>buckets of 1 MiB instead of {a}</source>
        <translation>{a} MiB 대신 1 MiB 버킷</translation>
    </message>
    <message>
        <source>buckets of {b} MiB instead of {a}</source>
        <translation>{a} MiB 대신 {b} MiB 버킷</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>작업 중</translation>
    </message>
    <message>
        <source>busy {busy} · comm {communication} · idle {idle}</source>
        <translation>작업 중 {busy} · 통신 {communication} · 유휴 {idle}</translation>
    </message>
    <message>
        <source>by makespan</source>
        <translation>총 소요 시간 기준</translation>
    </message>
    <message>
        <source>by the longest lane&apos;s span</source>
        <translation>가장 긴 레인의 구간 기준</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>바이트</translation>
    </message>
    <message>
        <source>calibrate</source>
        <translation>보정</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>원인</translation>
    </message>
    <message>
        <source>chimera needs an even number of ranks, not {a}</source>
        <translation>chimera에는 짝수 개의 랭크가 필요합니다({a}개가 아님)</translation>
    </message>
    <message>
        <source>chimera needs at least 2 micro-batches, one a replica, not {a}</source>
        <translation>chimera에는 복제본마다 하나씩, 최소 2개의 마이크로배치가 필요합니다({a}개가 아님)</translation>
    </message>
    <message>
        <source>chunks</source>
        <translation>청크</translation>
    </message>
    <message>
        <source>closed form</source>
        <translation>닫힌 식</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>집합 통신</translation>
    </message>
    <message>
        <source>colours</source>
        <translation>색</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>통신</translation>
    </message>
    <message>
        <source>communication measured too</source>
        <translation>통신도 측정함</translation>
    </message>
    <message>
        <source>communication modelled ({a}{b})</source>
        <translation>통신은 모델로 계산({a}{b})</translation>
    </message>
    <message>
        <source>compare gradients</source>
        <translation>변화도 비교</translation>
    </message>
    <message>
        <source>compared: mean of {n} steps</source>
        <translation>비교: 스텝 {n}개의 평균</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>compute the loss</source>
        <translation>손실 계산</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>계산</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>연결됨</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>복사</translation>
    </message>
    <message>
        <source>copy the model</source>
        <translation>모델 복사</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>코어</translation>
    </message>
    <message>
        <source>cores a lane</source>
        <translation>레인당 코어</translation>
    </message>
    <message>
        <source>cores per lane</source>
        <translation>레인당 코어</translation>
    </message>
    <message>
        <source>costs, {time}</source>
        <translation>비용, {time}</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>임계 경로</translation>
    </message>
    <message>
        <source>data</source>
        <translation>데이터</translation>
    </message>
    <message>
        <source>data moves</source>
        <translation>데이터 이동</translation>
    </message>
    <message>
        <source>default</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>depth</source>
        <translation>깊이</translation>
    </message>
    <message>
        <source>depth 1 instead of {a}</source>
        <translation>깊이 {a} 대신 1</translation>
    </message>
    <message>
        <source>depth {b} instead of {a}</source>
        <translation>깊이 {a} 대신 {b}</translation>
    </message>
    <message>
        <source>deuteranopia</source>
        <translation>녹색맹</translation>
    </message>
    <message>
        <source>deviation from run to run</source>
        <translation>실행 사이의 편차</translation>
    </message>
    <message>
        <source>device</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>device {device}</source>
        <translation>장치 {device}</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>장치</translation>
    </message>
    <message>
        <source>did not answer any more, and was ended</source>
        <translation>더 이상 응답하지 않아 종료되었습니다</translation>
    </message>
    <message>
        <source>did not end</source>
        <translation>끝나지 않음</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>dtype</translation>
    </message>
    <message>
        <source>dualpipe-v on {a} ranks needs at least {b} micro-batches, not {c}</source>
        <translation>랭크 {a}개의 dualpipe-v에는 마이크로배치가 최소 {b}개 필요합니다({c}개가 아님)</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>길이</translation>
    </message>
    <message>
        <source>end to start {time}</source>
        <translation>끝에서 시작 {time}</translation>
    </message>
    <message>
        <source>ended with status {a}</source>
        <translation>상태 {a}(으)로 끝났습니다</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>engine</translation>
    </message>
    <message>
        <source>engine is loading…</source>
        <translation>엔진 불러오는 중…</translation>
    </message>
    <message>
        <source>engine ready</source>
        <translation>엔진 준비됨</translation>
    </message>
    <message>
        <source>equal parameters</source>
        <translation>같은 매개변수 수</translation>
    </message>
    <message>
        <source>equal times</source>
        <translation>같은 시간</translation>
    </message>
    <message>
        <source>error</source>
        <translation>오류</translation>
    </message>
    <message>
        <source>events have colours that do not exist</source>
        <translation>이벤트에 없는 색이 있습니다</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>정확</translation>
    </message>
    <message>
        <source>exposed</source>
        <translation>노출</translation>
    </message>
    <message>
        <source>exposed collective</source>
        <translation>노출된 집합 통신</translation>
    </message>
    <message>
        <source>exposed comm.</source>
        <translation>노출된 통신</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>노출된 통신</translation>
    </message>
    <message>
        <source>exposed-collective</source>
        <translation>노출된 집합 통신</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>실패</translation>
    </message>
    <message>
        <source>fastest</source>
        <translation>가장 빠름</translation>
    </message>
    <message>
        <source>faults put in</source>
        <translation>넣은 결함</translation>
    </message>
    <message>
        <source>file</source>
        <translation>파일</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>끝남</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>for reasons that the trace does not tell</source>
        <translation>트레이스에 없는 이유</translation>
    </message>
    <message>
        <source>for what is not known yet</source>
        <translation>아직 알 수 없음</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>순전파</translation>
    </message>
    <message>
        <source>forward with backward</source>
        <translation>순전파와 역전파</translation>
    </message>
    <message>
        <source>forward, backward-*, communication, compute</source>
        <translation>forward, backward-*, communication, compute</translation>
    </message>
    <message>
        <source>from first to last</source>
        <translation>첫째부터 마지막까지</translation>
    </message>
    <message>
        <source>full colour vision</source>
        <translation>정상 색각</translation>
    </message>
    <message>
        <source>gather</source>
        <translation>모으기</translation>
    </message>
    <message>
        <source>gather or reduce</source>
        <translation>모으기 또는 리듀스</translation>
    </message>
    <message>
        <source>gather-or-reduce</source>
        <translation>모으기 또는 리듀스</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>끊김</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>변화도</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>변화도</translation>
    </message>
    <message>
        <source>gradients differ by at most {error}</source>
        <translation>변화도 차이 최대 {error}</translation>
    </message>
    <message>
        <source>gradients ready</source>
        <translation>변화도 준비됨</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>회색</translation>
    </message>
    <message>
        <source>grows</source>
        <translation>늘어남</translation>
    </message>
    <message>
        <source>has no dimension to divide</source>
        <translation>나눌 차원이 없습니다</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>헤드</translation>
    </message>
    <message>
        <source>hiccup</source>
        <translation>일시 지연</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>가려짐</translation>
    </message>
    <message>
        <source>host</source>
        <translation>호스트</translation>
    </message>
    <message>
        <source>ideal: single ÷ lanes</source>
        <translation>이상: 단일 ÷ 레인</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>유휴</translation>
    </message>
    <message>
        <source>idle most for</source>
        <translation>주된 유휴 원인</translation>
    </message>
    <message>
        <source>idle share</source>
        <translation>유휴 비율</translation>
    </message>
    <message>
        <source>idle {share}</source>
        <translation>유휴 {share}</translation>
    </message>
    <message>
        <source>idle: {cause}</source>
        <translation>유휴: {cause}</translation>
    </message>
    <message>
        <source>image size</source>
        <translation>이미지 크기</translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation>불균형</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>불완전</translation>
    </message>
    <message>
        <source>incomplete: 1 fault, see the Log</source>
        <translation>불완전: 결함 1개, 로그 참조</translation>
    </message>
    <message>
        <source>incomplete: {n} faults, see the Log</source>
        <translation>불완전: 결함 {n}개, 로그 참조</translation>
    </message>
    <message>
        <source>info</source>
        <translation>정보</translation>
    </message>
    <message>
        <source>input</source>
        <translation>입력</translation>
    </message>
    <message>
        <source>input-data</source>
        <translation>데이터 대기</translation>
    </message>
    <message>
        <source>install it again: pip install --force-reinstall torch</source>
        <translation>다시 설치하세요: pip install --force-reinstall torch</translation>
    </message>
    <message>
        <source>is not contiguous</source>
        <translation>연속적이지 않습니다</translation>
    </message>
    <message>
        <source>the recording changes while it is read</source>
        <translation>읽는 동안 바뀝니다</translation>
    </message>
    <message>
        <source>the index could not be built</source>
        <translation>만들 수 없었습니다</translation>
    </message>
    <message>
        <source>it goes on behind its end</source>
        <translation>끝난 뒤에도 내용이 이어집니다</translation>
    </message>
    <message>
        <source>it has more than {a} lanes</source>
        <translation>레인이 {a}개를 넘습니다</translation>
    </message>
    <message>
        <source>it has more than {a} streams and threads</source>
        <translation>스트림과 스레드가 {a}개를 넘습니다</translation>
    </message>
    <message>
        <source>it has more than {a} threads</source>
        <translation>스레드가 {a}개를 넘습니다</translation>
    </message>
    <message>
        <source>it has no list of events</source>
        <translation>이벤트 목록이 없습니다</translation>
    </message>
    <message>
        <source>it does not have format {a}; {b}</source>
        <translation>형식 {a}이(가) 아닙니다. {b}</translation>
    </message>
    <message>
        <source>it has text that is not UTF-8</source>
        <translation>UTF-8이 아닌 텍스트가 있습니다</translation>
    </message>
    <message>
        <source>it has {a} bytes and unpacks to more than {b}, the most that is read of a packed file of that size</source>
        <translation>{a}바이트이며, 풀면 이 크기의 압축 파일에서 읽는 한도인 {b}을(를) 넘습니다</translation>
    </message>
    <message>
        <source>it has {a} bytes; use at most {b}</source>
        <translation>{a}바이트입니다; 최대 {b}바이트까지 쓸 수 있습니다</translation>
    </message>
    <message>
        <source>it has {a} replicas on {b} lanes</source>
        <translation>레인 {b}개에 복제본이 {a}개 있습니다</translation>
    </message>
    <message>
        <source>it is damaged after event {a}: {b}</source>
        <translation>이벤트 {a} 이후가 손상되었습니다: {b}</translation>
    </message>
    <message>
        <source>it is neither run, describe nor stop</source>
        <translation>run, describe, stop 중 어느 것도 아닙니다</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation>너무 깊게 중첩되어 있습니다</translation>
    </message>
    <message>
        <source>it is no regular file</source>
        <translation>일반 파일이 아닙니다</translation>
    </message>
    <message>
        <source>it takes {a} tensors and gives {b}; it must take one and give one</source>
        <translation>Tensor {a}개를 받아 {b}개를 줍니다. 하나를 받아 하나를 주어야 합니다</translation>
    </message>
    <message>
        <source>it would unpack to {a} bytes or more: {b} are taken</source>
        <translation>풀면 {a}바이트 이상입니다: {b}까지 받습니다</translation>
    </message>
    <message>
        <source>its column {a} has {b}, which is not a known word</source>
        <translation>열 {a}에 {b}이(가) 있는데, 이 열에서 알 수 없는 단어입니다</translation>
    </message>
    <message>
        <source>its job was killed or its connection lost</source>
        <translation>작업이 강제 종료되었거나 연결이 끊어졌습니다</translation>
    </message>
    <message>
        <source>its lanes spend on average {parts}</source>
        <translation>레인당 평균 {parts}</translation>
    </message>
    <message>
        <source>its spans are of several plans</source>
        <translation>스팬이 여러 계획의 것입니다</translation>
    </message>
    <message>
        <source>its times lie more than 73 years apart</source>
        <translation>시각이 73년 넘게 떨어져 있습니다</translation>
    </message>
    <message>
        <source>jitter</source>
        <translation>지터</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>종류</translation>
    </message>
    <message>
        <source>lane</source>
        <translation>레인</translation>
    </message>
    <message>
        <source>lane by lane</source>
        <translation>레인별</translation>
    </message>
    <message>
        <source>lane memory</source>
        <translation>레인 메모리</translation>
    </message>
    <message>
        <source>lane {a} has number {b} and serves {c}</source>
        <translation>레인 {a}의 번호가 {b}, 대상이 {c}입니다</translation>
    </message>
    <message>
        <source>lane {lane}</source>
        <translation>레인 {lane}</translation>
    </message>
    <message>
        <source>lane {lane}: idle at {time}</source>
        <translation>레인 {lane}: {time}에 유휴</translation>
    </message>
    <message>
        <source>lane {lane}: {task}, {time}</source>
        <translation>레인 {lane}: {task}, {time}</translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS</source>
        <translation>lane=레인,step=스텝,ms=MS</translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS, such as lane=2,step=4,ms=50</source>
        <translation>lane=레인,step=스텝,ms=MS, 예: lane=2,step=4,ms=50</translation>
    </message>
    <message>
        <source>lanes</source>
        <translation>레인</translation>
    </message>
    <message>
        <source>last to come, how often</source>
        <translation>마지막에 온 랭크와 횟수</translation>
    </message>
    <message>
        <source>last {shown} of {count} measured steps</source>
        <translation>측정 스텝 {count}개 중 마지막 {shown}개</translation>
    </message>
    <message>
        <source>launched {time} after it was ready</source>
        <translation>준비 {time} 뒤 런치</translation>
    </message>
    <message>
        <source>launcher</source>
        <translation>실행 방식</translation>
    </message>
    <message>
        <source>left edge</source>
        <translation>왼쪽 끝</translation>
    </message>
    <message>
        <source>level</source>
        <translation>수준</translation>
    </message>
    <message>
        <source>link</source>
        <translation>링크</translation>
    </message>
    <message>
        <source>list</source>
        <translation>목록</translation>
    </message>
    <message>
        <source>loading data</source>
        <translation>데이터 불러오기</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>손실</translation>
    </message>
    <message>
        <source>loss (right axis)</source>
        <translation>손실 (오른쪽 축)</translation>
    </message>
    <message>
        <source>loss and update</source>
        <translation>손실과 갱신</translation>
    </message>
    <message>
        <source>loss for all</source>
        <translation>모두를 위한 손실</translation>
    </message>
    <message>
        <source>loss {loss}</source>
        <translation>손실 {loss}</translation>
    </message>
    <message>
        <source>loss-for-all</source>
        <translation>모두를 위한 손실</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>학습률</translation>
    </message>
    <message>
        <source>made from the run</source>
        <translation>실행에서 생성</translation>
    </message>
    <message>
        <source>makespan</source>
        <translation>총 소요 시간</translation>
    </message>
    <message>
        <source>makespan in ms</source>
        <translation>총 소요 시간 (ms)</translation>
    </message>
    <message>
        <source>makespan {lengths}</source>
        <translation>총 소요 시간 {lengths}</translation>
    </message>
    <message>
        <source>max / mean</source>
        <translation>최대 / 평균</translation>
    </message>
    <message>
        <source>mean of 1 step</source>
        <translation>스텝 1개의 평균</translation>
    </message>
    <message>
        <source>mean of all steps</source>
        <translation>모든 스텝의 평균</translation>
    </message>
    <message>
        <source>mean of the last {n} steps</source>
        <translation>마지막 스텝 {n}개의 평균</translation>
    </message>
    <message>
        <source>mean of the measured steps</source>
        <translation>측정 스텝의 평균</translation>
    </message>
    <message>
        <source>mean of {n} measured steps</source>
        <translation>측정 스텝 {n}개의 평균</translation>
    </message>
    <message>
        <source>mean of {n} steps</source>
        <translation>스텝 {n}개의 평균</translation>
    </message>
    <message>
        <source>mean of {n} warm-up steps</source>
        <translation>워밍업 스텝 {n}개의 평균</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>측정</translation>
    </message>
    <message>
        <source>measured block by block, in micro-batches of several sizes</source>
        <translation>여러 크기의 마이크로배치로 블록마다 측정됨</translation>
    </message>
    <message>
        <source>measured with all lanes busy, before the measured steps</source>
        <translation>측정 스텝 전에 모든 레인이 일하는 상태에서 측정</translation>
    </message>
    <message>
        <source>measuring costs, {time}</source>
        <translation>비용 측정 중, {time}</translation>
    </message>
    <message>
        <source>median step</source>
        <translation>중앙값 스텝</translation>
    </message>
    <message>
        <source>median: {step}</source>
        <translation>중앙값: {step}</translation>
    </message>
    <message>
        <source>meetings</source>
        <translation>만난 횟수</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>메모리</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>micro-batch {n}</source>
        <translation>마이크로배치 {n}</translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>micro-batches of {a} rows: torch&apos;s schedules need one size; let --microbatches divide --batch, and --batch --data</source>
        <translation>마이크로배치가 {a}행입니다: torch의 스케줄에는 한 크기가 필요합니다. --microbatches가 --batch를, --batch가 --data를 나누게 하십시오</translation>
    </message>
    <message>
        <source>microbatch</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>microbatches</source>
        <translation>마이크로배치</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>mlp</source>
        <translation>mlp</translation>
    </message>
    <message>
        <source>model</source>
        <translation>모델</translation>
    </message>
    <message>
        <source>model copy</source>
        <translation>모델 복사</translation>
    </message>
    <message>
        <source>more</source>
        <translation>더 김</translation>
    </message>
    <message>
        <source>most in this run: {size}</source>
        <translation>이 실행의 최대: {size}</translation>
    </message>
    <message>
        <source>moved for {time}</source>
        <translation>{time} 동안 이동</translation>
    </message>
    <message>
        <source>moves</source>
        <translation>이동</translation>
    </message>
    <message>
        <source>moving data themselves</source>
        <translation>데이터 이동 자체</translation>
    </message>
    <message>
        <source>ms of lane time</source>
        <translation>레인 시간 (ms)</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>name</source>
        <translation>이름</translation>
    </message>
    <message>
        <source>never idle</source>
        <translation>유휴 없음</translation>
    </message>
    <message>
        <source>no</source>
        <translation>아니요</translation>
    </message>
    <message>
        <source>no engine</source>
        <translation>엔진 없음</translation>
    </message>
    <message>
        <source>no gradient for {a}: ddp waits for that of every trained parameter; use them in the forward pass, or freeze them with requires_grad_(False)</source>
        <translation>{a}의 변화도가 없습니다. ddp는 학습하는 모든 매개변수의 변화도를 기다립니다. 순전파에서 사용하거나 requires_grad_(False)로 고정하세요</translation>
    </message>
    <message>
        <source>no gradient for {a}: ranks wait for that of every trained parameter; use it in the forward pass, or freeze it with requires_grad_(False)</source>
        <translation>{a}의 변화도가 없습니다. 랭크는 학습하는 모든 매개변수의 변화도를 기다립니다. 순전파에서 사용하거나 requires_grad_(False)로 고정하세요</translation>
    </message>
    <message>
        <source>no hits</source>
        <translation>결과 없음</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>제한 없음</translation>
    </message>
    <message>
        <source>no micro-batch</source>
        <translation>마이크로배치 없음</translation>
    </message>
    <message>
        <source>no optimizer of torch.optim has updated the model, so there are no steps</source>
        <translation>torch.optim의 옵티마이저가 모델을 갱신하지 않아 스텝이 없습니다</translation>
    </message>
    <message>
        <source>no pipeline</source>
        <translation>파이프라인 없음</translation>
    </message>
    <message>
        <source>no prediction: {a}</source>
        <translation>예측 없음: {a}</translation>
    </message>
    <message>
        <source>no rows</source>
        <translation>행 없음</translation>
    </message>
    <message>
        <source>no run yet</source>
        <translation>아직 실행 없음</translation>
    </message>
    <message>
        <source>no stage</source>
        <translation>스테이지 없음</translation>
    </message>
    <message>
        <source>no such settings</source>
        <translation>그런 설정 없음</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>node {n}</source>
        <translation>노드 {n}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>없음</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>비교 안 함</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>아직 알 수 없음</translation>
    </message>
    <message>
        <source>not told</source>
        <translation>알 수 없음</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>사용 안 함</translation>
    </message>
    <message>
        <source>not what a plain step computes: gradients differ by {gradient}, losses by {loss}</source>
        <translation>일반 스텝의 계산과 다릅니다. 변화도 차이 {gradient}, 손실 차이 {loss}</translation>
    </message>
    <message>
        <source>not-told</source>
        <translation>알 수 없음</translation>
    </message>
    <message>
        <source>nothing more in this step</source>
        <translation>이 스텝에서 더 없음</translation>
    </message>
    <message>
        <source>nothing recorded</source>
        <translation>기록된 것 없음</translation>
    </message>
    <message>
        <source>nothing to move</source>
        <translation>옮길 것 없음</translation>
    </message>
    <message>
        <source>number</source>
        <translation>숫자</translation>
    </message>
    <message>
        <source>of the idle time</source>
        <translation>유휴 시간 대비</translation>
    </message>
    <message>
        <source>of the time</source>
        <translation>시간 비율</translation>
    </message>
    <message>
        <source>one epoch</source>
        <translation>한 에포크</translation>
    </message>
    <message>
        <source>one per lane</source>
        <translation>레인마다 하나</translation>
    </message>
    <message>
        <source>one step</source>
        <translation>한 스텝</translation>
    </message>
    <message>
        <source>one step: {start} to {end}</source>
        <translation>한 스텝: {start}~{end}</translation>
    </message>
    <message>
        <source>one-column</source>
        <translation>한 단</translation>
    </message>
    <message>
        <source>only in A: {tasks}</source>
        <translation>A에만: {tasks}</translation>
    </message>
    <message>
        <source>only in B: {tasks}</source>
        <translation>B에만: {tasks}</translation>
    </message>
    <message>
        <source>only the first {a} rows: their values are too long</source>
        <translation>처음 {a}행만: 값이 너무 깁니다</translation>
    </message>
    <message>
        <source>only the first {a} rows; add LIMIT or GROUP BY</source>
        <translation>처음 {a}행만; LIMIT나 GROUP BY를 더하세요</translation>
    </message>
    <message>
        <source>opening the recording was cancelled</source>
        <translation>기록 열기가 취소되었습니다</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>옵티마이저</translation>
    </message>
    <message>
        <source>other</source>
        <translation>기타</translation>
    </message>
    <message>
        <source>other devices</source>
        <translation>다른 장치</translation>
    </message>
    <message>
        <source>other lane computes</source>
        <translation>다른 레인의 계산</translation>
    </message>
    <message>
        <source>other lanes</source>
        <translation>다른 레인</translation>
    </message>
    <message>
        <source>other memory</source>
        <translation>기타 메모리</translation>
    </message>
    <message>
        <source>other names</source>
        <translation>다른 이름</translation>
    </message>
    <message>
        <source>other ranks</source>
        <translation>다른 rank</translation>
    </message>
    <message>
        <source>other stream works</source>
        <translation>다른 스트림 작업 중</translation>
    </message>
    <message>
        <source>other work</source>
        <translation>기타 작업</translation>
    </message>
    <message>
        <source>other-compute</source>
        <translation>다른 레인의 계산</translation>
    </message>
    <message>
        <source>other-stream</source>
        <translation>다른 스트림 작업 중</translation>
    </message>
    <message>
        <source>others</source>
        <translation>다른 것</translation>
    </message>
    <message>
        <source>output</source>
        <translation>출력</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>겹침</translation>
    </message>
    <message>
        <source>p50</source>
        <translation>p50</translation>
    </message>
    <message>
        <source>p99</source>
        <translation>p99</translation>
    </message>
    <message>
        <source>parallel</source>
        <translation>병렬</translation>
    </message>
    <message>
        <source>parameter gradients</source>
        <translation>매개변수 변화도</translation>
    </message>
    <message>
        <source>parameter {a}.{b} {c}, which fully_shard refuses; make it contiguous and of shape [1] at least, or use ddp</source>
        <translation>매개변수 {a}.{b}: {c}. fully_shard가 거부합니다. 연속적이고 모양이 [1] 이상이 되게 하거나 ddp를 사용하세요</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>매개변수</translation>
    </message>
    <message>
        <source>parameters again</source>
        <translation>매개변수 다시</translation>
    </message>
    <message>
        <source>part of a name, or all of it: gemm, gemm*</source>
        <translation>이름의 일부나 전부: gemm, gemm*</translation>
    </message>
    <message>
        <source>patterns</source>
        <translation>무늬</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>최대</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>최대 메모리</translation>
    </message>
    <message>
        <source>peak {size}</source>
        <translation>최대 {size}</translation>
    </message>
    <message>
        <source>perfect division</source>
        <translation>완벽한 분할</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>파이프라인</translation>
    </message>
    <message>
        <source>pipeline drains</source>
        <translation>파이프라인 비우기</translation>
    </message>
    <message>
        <source>pipeline fill and drain</source>
        <translation>파이프라인 채우기와 비우기</translation>
    </message>
    <message>
        <source>pipeline fills</source>
        <translation>파이프라인 채우기</translation>
    </message>
    <message>
        <source>pipeline {n}</source>
        <translation>파이프라인 {n}</translation>
    </message>
    <message>
        <source>pipeline-drain</source>
        <translation>파이프라인 비우기</translation>
    </message>
    <message>
        <source>pipeline-fill</source>
        <translation>파이프라인 채우기</translation>
    </message>
    <message>
        <source>pipelines {n}</source>
        <translation>파이프라인 {n}</translation>
    </message>
    <message>
        <source>plan {a} has a task that waits for one that is not before it</source>
        <translation>계획 {a}에 자신보다 앞에 있지 않은 작업을 기다리는 작업이 있습니다</translation>
    </message>
    <message>
        <source>plan {a} has no tasks</source>
        <translation>계획 {a}에 작업이 없습니다</translation>
    </message>
    <message>
        <source>plan {a} is out of order</source>
        <translation>계획 {a}은(는) 다음에 올 수 있는 계획이 아닙니다</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>예측</translation>
    </message>
    <message>
        <source>predicted {error}</source>
        <translation>예측 {error}</translation>
    </message>
    <message>
        <source>predicted {predicted}, measured {measured}, {error}</source>
        <translation>예측 {predicted}, 측정 {measured}, {error}</translation>
    </message>
    <message>
        <source>predicted, not measured</source>
        <translation>예측, 측정하지 않음</translation>
    </message>
    <message>
        <source>present</source>
        <translation>현재</translation>
    </message>
    <message>
        <source>protanopia</source>
        <translation>적색맹</translation>
    </message>
    <message>
        <source>rank {a} (process {b}) {c}</source>
        <translation>랭크 {a}(프로세스 {b}): {c}</translation>
    </message>
    <message>
        <source>rank {a} broke off: {b}</source>
        <translation>랭크 {a}이(가) 중단되었습니다: {b}</translation>
    </message>
    <message>
        <source>rank {a} is here</source>
        <translation>랭크 {a}이(가) 이미 연결되어 있습니다</translation>
    </message>
    <message>
        <source>rank {a} is none of a job of {b}</source>
        <translation>랭크 {a}은(는) 랭크가 {b}개인 작업에 속하지 않습니다</translation>
    </message>
    <message>
        <source>rank {a} of another job waits until this one has ended</source>
        <translation>다른 작업의 랭크 {a}이(가) 현재 작업이 끝나기를 기다립니다</translation>
    </message>
    <message>
        <source>rank {a} of the job has failed</source>
        <translation>작업의 랭크 {a}이(가) 실패했습니다</translation>
    </message>
    <message>
        <source>rank {a} runs {b}</source>
        <translation>랭크 {a}이(가) {b}을(를) 실행합니다</translation>
    </message>
    <message>
        <source>rank {a} tells more than {b} numbers of steps to come</source>
        <translation>랭크 {a}이(가) 아직 오지 않은 스텝의 수치를 {b}개 넘게 보냈습니다</translation>
    </message>
    <message>
        <source>rank {a} tells more than {b} tasks</source>
        <translation>랭크 {a}이(가) 작업을 {b}개 넘게 보냈습니다</translation>
    </message>
    <message>
        <source>rank {a} tells what makes no sense: {b}</source>
        <translation>랭크 {a}이(가) 보낸 내용이 맞지 않습니다: {b}</translation>
    </message>
    <message>
        <source>rank {a} was refused: no thread can be started for it</source>
        <translation>랭크 {a}이(가) 거부되었습니다. 스레드를 시작할 수 없습니다</translation>
    </message>
    <message>
        <source>rank {a} was refused: {b}</source>
        <translation>랭크 {a}이(가) 거부되었습니다: {b}</translation>
    </message>
    <message>
        <source>rank {a} was refused: {b} ranks are connected</source>
        <translation>랭크 {a}이(가) 거부되었습니다. 이미 랭크 {b}개가 연결되어 있습니다</translation>
    </message>
    <message>
        <source>rank {a} {b}; {c}, and nothing can be shown without the others</source>
        <translation>랭크 {a} {b}; {c}. 나머지가 없으면 아무것도 표시할 수 없습니다</translation>
    </message>
    <message>
        <source>rank {lane}</source>
        <translation>rank {lane}</translation>
    </message>
    <message>
        <source>ranks cannot meet on {a}: torch has no process group for that; use CPU lanes, such as 2xcpu, or another strategy</source>
        <translation>랭크가 {a}에서 만날 수 없습니다. torch에 그에 맞는 프로세스 그룹이 없습니다. 2xcpu 같은 CPU 레인이나 다른 전략을 사용하세요</translation>
    </message>
    <message>
        <source>ranks {a} and {b} ran different collectives in step {c}</source>
        <translation>랭크 {a}, {b}이(가) 스텝 {c}에서 서로 다른 집합 통신을 실행했습니다</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>비율</translation>
    </message>
    <message>
        <source>record blocks</source>
        <translation>블록 기록</translation>
    </message>
    <message>
        <source>reduce</source>
        <translation>리듀스</translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>reduced: about {count} spans a pixel</source>
        <translation>간략화됨: 픽셀당 스팬 약 {count}개</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>거부됨</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>replica {n}</source>
        <translation>복제본 {n}</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>복제본</translation>
    </message>
    <message>
        <source>replicate</source>
        <translation>복제</translation>
    </message>
    <message>
        <source>replicate-model</source>
        <translation>모델 복사</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>행</translation>
    </message>
    <message>
        <source>rows of a batch</source>
        <translation>배치의 행</translation>
    </message>
    <message>
        <source>run start</source>
        <translation>실행 시작</translation>
    </message>
    <message>
        <source>run {number}</source>
        <translation>실행 {number}</translation>
    </message>
    <message>
        <source>running</source>
        <translation>실행 중</translation>
    </message>
    <message>
        <source>running for {time}</source>
        <translation>{time} 동안 실행 중</translation>
    </message>
    <message>
        <source>running since {time}</source>
        <translation>{time}부터 실행 중</translation>
    </message>
    <message>
        <source>saving, {share}</source>
        <translation>저장 중, {share}</translation>
    </message>
    <message>
        <source>scatter</source>
        <translation>나누기</translation>
    </message>
    <message>
        <source>scatter-rows</source>
        <translation>나누기</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>스케줄</translation>
    </message>
    <message>
        <source>schedules</source>
        <translation>스케줄</translation>
    </message>
    <message>
        <source>searching, {share}</source>
        <translation>검색 중, {share}</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>시드</translation>
    </message>
    <message>
        <source>sent what cannot be read: {a}</source>
        <translation>읽을 수 없는 것을 보냈습니다: {a}</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>시퀀스</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>설정</translation>
    </message>
    <message>
        <source>sgd</source>
        <translation>sgd</translation>
    </message>
    <message>
        <source>share</source>
        <translation>비율</translation>
    </message>
    <message>
        <source>size</source>
        <translation>크기</translation>
    </message>
    <message>
        <source>slide</source>
        <translation>슬라이드</translation>
    </message>
    <message>
        <source>slider</source>
        <translation>슬라이더</translation>
    </message>
    <message>
        <source>slow kind</source>
        <translation>느린 종류</translation>
    </message>
    <message>
        <source>slow lane</source>
        <translation>느린 레인</translation>
    </message>
    <message>
        <source>slow link</source>
        <translation>느린 링크</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>느려짐</translation>
    </message>
    <message>
        <source>slowest rank</source>
        <translation>가장 느린 랭크</translation>
    </message>
    <message>
        <source>slowest-rank</source>
        <translation>가장 느린 랭크</translation>
    </message>
    <message>
        <source>some of its tasks overlap</source>
        <translation>일부 작업이 겹침</translation>
    </message>
    <message>
        <source>another file has the name of its index</source>
        <translation>색인의 이름을 다른 것이 쓰고 있습니다</translation>
    </message>
    <message>
        <source>sorting…</source>
        <translation>정렬 중…</translation>
    </message>
    <message>
        <source>spans missing</source>
        <translation>스팬 누락</translation>
    </message>
    <message>
        <source>spans of a lane overlap</source>
        <translation>한 레인의 스팬이 겹칩니다</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>속도</translation>
    </message>
    <message>
        <source>split size</source>
        <translation>분할 크기</translation>
    </message>
    <message>
        <source>split-imbalance</source>
        <translation>분할 불균형</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>스테이지</translation>
    </message>
    <message>
        <source>stage {n}</source>
        <translation>스테이지 {n}</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>스테이지</translation>
    </message>
    <message>
        <source>stages {a} and {b} of {c} share a parameter ({d}); use fewer stages, or a strategy that keeps it whole</source>
        <translation>전체 {c}개 중 스테이지 {a}, {b}이(가) 매개변수({d})를 공유합니다. 스테이지를 줄이거나 매개변수를 온전히 두는 전략을 사용하세요</translation>
    </message>
    <message>
        <source>start</source>
        <translation>시작</translation>
    </message>
    <message>
        <source>start to start {time}</source>
        <translation>시작에서 시작 {time}</translation>
    </message>
    <message>
        <source>starting…</source>
        <translation>시작 중…</translation>
    </message>
    <message>
        <source>state</source>
        <translation>상태</translation>
    </message>
    <message>
        <source>step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>step at hand</source>
        <translation>현재 스텝</translation>
    </message>
    <message>
        <source>step at hand: {step}</source>
        <translation>현재 스텝: {step}</translation>
    </message>
    <message>
        <source>step {a} comes again</source>
        <translation>스텝 {a}이(가) 다시 왔습니다</translation>
    </message>
    <message>
        <source>step {a}: task {b} never ended</source>
        <translation>스텝 {a}: 작업 {b}이(가) 끝나지 않았습니다</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>스텝 {number}</translation>
    </message>
    <message>
        <source>step {n} of {total}</source>
        <translation>스텝 {n}/{total}</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>steps {a} to {b}</source>
        <translation>스텝 {a}~{b}</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>중지됨</translation>
    </message>
    <message>
        <source>strategy</source>
        <translation>전략</translation>
    </message>
    <message>
        <source>taken from the last measured step</source>
        <translation>마지막 측정 스텝에서 가져옴</translation>
    </message>
    <message>
        <source>taken from the last warm-up step</source>
        <translation>마지막 워밍업 스텝에서 가져옴</translation>
    </message>
    <message>
        <source>task</source>
        <translation>작업</translation>
    </message>
    <message>
        <source>task {a} ({b}) waits for task {c}, which comes later</source>
        <translation>작업 {a} ({b})이(가) 나중에 오는 작업 {c}을(를) 기다립니다</translation>
    </message>
    <message>
        <source>the costs that the recording holds make no sense</source>
        <translation>기록에 있는 비용이 앞뒤가 맞지 않습니다</translation>
    </message>
    <message>
        <source>the description of its tables is damaged</source>
        <translation>테이블 설명이 손상되었습니다</translation>
    </message>
    <message>
        <source>the engine cannot read a command: {a}</source>
        <translation>엔진이 명령을 읽을 수 없습니다: {a}</translation>
    </message>
    <message>
        <source>the engine process {a}</source>
        <translation>엔진 프로세스: {a}</translation>
    </message>
    <message>
        <source>the first run</source>
        <translation>첫 번째 실행</translation>
    </message>
    <message>
        <source>the first {shown} of {count} spans</source>
        <translation>스팬 {count}개 중 처음 {shown}개</translation>
    </message>
    <message>
        <source>the median of {n} steps</source>
        <translation>스텝 {n}개의 중앙값 스텝</translation>
    </message>
    <message>
        <source>the model has dropout: its gradients are random and cannot be compared</source>
        <translation>모델에 드롭아웃이 있어 변화도가 무작위이며 비교할 수 없습니다</translation>
    </message>
    <message>
        <source>the model has parameters that its loss does not depend on, which DistributedDataParallel refuses: take them out of the model, or use --strategy fsdp</source>
        <translation>손실이 의존하지 않는 파라미터가 모델에 있어 DistributedDataParallel이 거부합니다. 모델에서 빼거나 --strategy fsdp를 사용하세요</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>모델의 기본값</translation>
    </message>
    <message>
        <source>the optimizer step</source>
        <translation>옵티마이저 스텝</translation>
    </message>
    <message>
        <source>the picture is {time} behind</source>
        <translation>화면이 {time} 늦습니다</translation>
    </message>
    <message>
        <source>the prediction failed: {a}: {b}</source>
        <translation>예측이 실패했습니다: {a}: {b}</translation>
    </message>
    <message>
        <source>the process has ended</source>
        <translation>프로세스가 끝났습니다</translation>
    </message>
    <message>
        <source>the process that predicts has ended; ask again to start it afresh</source>
        <translation>예측하는 프로세스가 끝났습니다. 다시 요청하면 새로 시작합니다</translation>
    </message>
    <message>
        <source>the process {a}</source>
        <translation>프로세스: {a}</translation>
    </message>
    <message>
        <source>the query has {a} statements; use one at a time</source>
        <translation>쿼리에 문이 {a}개 있습니다. 한 번에 하나씩 사용하세요</translation>
    </message>
    <message>
        <source>the query is not text: it has bytes that are not UTF-8</source>
        <translation>질의가 텍스트가 아닙니다: UTF-8이 아닌 바이트가 있습니다</translation>
    </message>
    <message>
        <source>the query needs more than {a} GB; add WHERE, LIMIT or GROUP BY</source>
        <translation>질의에 {a} GB보다 많은 메모리가 필요합니다; WHERE, LIMIT나 GROUP BY를 더하세요</translation>
    </message>
    <message>
        <source>the query was stopped</source>
        <translation>질의가 중지되었습니다</translation>
    </message>
    <message>
        <source>the recording ended before the job: {a}</source>
        <translation>작업이 끝나기 전에 기록이 끝났습니다: {a}</translation>
    </message>
    <message>
        <source>the run has no lanes that compute; compare runs that have some</source>
        <translation>실행에 계산하는 레인이 없습니다. 계산하는 레인이 있는 실행을 비교하세요</translation>
    </message>
    <message>
        <source>the run was not kept: {a}</source>
        <translation>실행이 보관되지 않았습니다: {a}</translation>
    </message>
    <message>
        <source>the same as of A</source>
        <translation>A와 같음</translation>
    </message>
    <message>
        <source>the schedule deadlocks at {a}: {b}</source>
        <translation>스케줄이 {a}에서 교착 상태에 빠집니다: {b}</translation>
    </message>
    <message>
        <source>the schedule misses {a}</source>
        <translation>스케줄에 {a}이(가) 없습니다</translation>
    </message>
    <message>
        <source>the schedule&apos;s own</source>
        <translation>스케줄의 기본값</translation>
    </message>
    <message>
        <source>the second run</source>
        <translation>두 번째 실행</translation>
    </message>
    <message>
        <source>the step</source>
        <translation>스텝</translation>
    </message>
    <message>
        <source>the steps of an imported trace come after its spans</source>
        <translation>가져온 트레이스의 스텝이 그 구간 뒤에 나옵니다</translation>
    </message>
    <message>
        <source>there are lanes 0 to {a}</source>
        <translation>레인은 0부터 {a}까지 있습니다</translation>
    </message>
    <message>
        <source>there are no spans to join</source>
        <translation>이을 스팬이 없습니다</translation>
    </message>
    <message>
        <source>there is lane 0 alone</source>
        <translation>레인은 0 하나뿐입니다</translation>
    </message>
    <message>
        <source>there is no lane {a}, only {b}</source>
        <translation>레인 {a}은(는) 없고 {b}만 있습니다</translation>
    </message>
    <message>
        <source>there is no memory beside the run&apos;s to measure its costs in</source>
        <translation>실행의 메모리 외에 비용을 측정할 메모리가 없습니다</translation>
    </message>
    <message>
        <source>there is no memory beside the run&apos;s to run each task untimed first</source>
        <translation>실행 외에 각 태스크를 먼저 시간 측정 없이 실행해 볼 메모리가 없습니다</translation>
    </message>
    <message>
        <source>there is no model for {a} that gives logits of text or images</source>
        <translation>{a}에는 텍스트나 이미지의 logits를 주는 모델이 없습니다</translation>
    </message>
    <message>
        <source>there is no query; use one that gives rows, such as FROM steps</source>
        <translation>쿼리가 없습니다. FROM steps처럼 행을 내는 쿼리를 사용하세요</translation>
    </message>
    <message>
        <source>there is no room for it</source>
        <translation>이를 위한 공간이 없습니다</translation>
    </message>
    <message>
        <source>there is no schedule {a}; use {b} or a file that ends in .csv</source>
        <translation>{a} 스케줄이 없습니다. {b} 또는 .csv로 끝나는 파일을 사용하세요</translation>
    </message>
    <message>
        <source>there is no strategy {a}; use {b}</source>
        <translation>{a} 전략이 없습니다. {b}을(를) 사용하세요</translation>
    </message>
    <message>
        <source>there is no {a} {b}; use {c} or a file that ends in {d}</source>
        <translation>{a} {b}이(가) 없습니다. {c} 또는 {d}(으)로 끝나는 파일을 사용하세요</translation>
    </message>
    <message>
        <source>there is no {a}: this machine has {b}; CPU lanes are 2xcpu</source>
        <translation>{a}이(가) 없습니다. 이 컴퓨터에 있는 것: {b}. CPU 레인은 2xcpu입니다</translation>
    </message>
    <message>
        <source>there is none in it, nor a recording of a rank ({a})</source>
        <translation>그 안에 없고 랭크의 기록도 없습니다({a})</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>메모리가 부족합니다</translation>
    </message>
    <message>
        <source>there is not enough memory for this prediction</source>
        <translation>이 예측을 하기에 메모리가 부족합니다</translation>
    </message>
    <message>
        <source>they belong to another run, of {a}</source>
        <translation>{a}의 다른 실행에 속합니다</translation>
    </message>
    <message>
        <source>time</source>
        <translation>시간</translation>
    </message>
    <message>
        <source>time of day, ± 1 s</source>
        <translation>시각, ± 1 s</translation>
    </message>
    <message>
        <source>timed by the host</source>
        <translation>호스트가 시간을 잼</translation>
    </message>
    <message>
        <source>times</source>
        <translation>배</translation>
    </message>
    <message>
        <source>times are</source>
        <translation>시간 출처</translation>
    </message>
    <message>
        <source>torch cannot be imported ({a}); {b}</source>
        <translation>torch를 임포트할 수 없습니다({a}); {b}</translation>
    </message>
    <message>
        <source>torch runs the ranks by itself: their blocks are not recorded.</source>
        <translation>torch가 랭크를 스스로 실행하므로 블록은 기록되지 않습니다.</translation>
    </message>
    <message>
        <source>torchrun cannot be started: {a}</source>
        <translation>torchrun을 시작할 수 없습니다: {a}</translation>
    </message>
    <message>
        <source>tp splits a gpt, or an mlp of two layers or more; this {a} cannot be split</source>
        <translation>tp는 gpt 또는 두 계층 이상의 mlp를 나눕니다. 이 {a} 모델은 나눌 수 없습니다</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>전송</translation>
    </message>
    <message>
        <source>tritanopia</source>
        <translation>청색맹</translation>
    </message>
    <message>
        <source>two-column</source>
        <translation>두 단</translation>
    </message>
    <message>
        <source>uneven split</source>
        <translation>고르지 않은 분할</translation>
    </message>
    <message>
        <source>up to 8</source>
        <translation>최대 8</translation>
    </message>
    <message>
        <source>up to {a}</source>
        <translation>최대 {a}</translation>
    </message>
    <message>
        <source>update</source>
        <translation>갱신</translation>
    </message>
    <message>
        <source>update for all</source>
        <translation>모두를 위한 갱신</translation>
    </message>
    <message>
        <source>update the model</source>
        <translation>모델 갱신</translation>
    </message>
    <message>
        <source>update-for-all</source>
        <translation>모두를 위한 갱신</translation>
    </message>
    <message>
        <source>use 0F0, 0B0, 0I0, 0W0 or (0F1;1B0)OVERLAP_F_B with numbers up to 32766</source>
        <translation>0F0, 0B0, 0I0, 0W0 또는 (0F1;1B0)OVERLAP_F_B를 사용하고, 수는 32766까지입니다</translation>
    </message>
    <message>
        <source>use a file that Bubblescope wrote</source>
        <translation>Bubblescope가 쓴 파일을 사용하세요</translation>
    </message>
    <message>
        <source>use {a} or more, at most {b}{c}</source>
        <translation>{a} 이상, 최대 {b}{c}을(를) 사용하세요</translation>
    </message>
    <message>
        <source>usual</source>
        <translation>기본값</translation>
    </message>
    <message>
        <source>verify</source>
        <translation>검증</translation>
    </message>
    <message>
        <source>virtual clock: each task measured alone, {a}</source>
        <translation>가상 시계: 각 작업을 단독으로 측정, {a}</translation>
    </message>
    <message>
        <source>waited {time} for ranks</source>
        <translation>랭크를 {time} 기다림</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>대기</translation>
    </message>
    <message>
        <source>waiting for collectives to move data</source>
        <translation>집합 통신의 데이터 이동 대기</translation>
    </message>
    <message>
        <source>waiting for copies</source>
        <translation>복사 대기</translation>
    </message>
    <message>
        <source>waiting for copies between lanes</source>
        <translation>레인 사이의 복사 대기</translation>
    </message>
    <message>
        <source>waiting for data</source>
        <translation>데이터 대기</translation>
    </message>
    <message>
        <source>waiting for other lanes&apos; computing</source>
        <translation>다른 레인의 계산 대기</translation>
    </message>
    <message>
        <source>waiting for other streams of the device</source>
        <translation>장치의 다른 스트림 대기</translation>
    </message>
    <message>
        <source>waiting for reasons that the trace does not tell</source>
        <translation>트레이스에 없는 이유로 대기</translation>
    </message>
    <message>
        <source>waiting for the device that works for all</source>
        <translation>모두를 위해 일하는 장치 대기</translation>
    </message>
    <message>
        <source>waiting for the host</source>
        <translation>호스트 대기</translation>
    </message>
    <message>
        <source>waiting for {who}</source>
        <translation>{who} 대기</translation>
    </message>
    <message>
        <source>waiting for {who} to compute</source>
        <translation>{who}의 계산 대기</translation>
    </message>
    <message>
        <source>waiting for {who} to reach a collective</source>
        <translation>{who}의 집합 통신 도달 대기</translation>
    </message>
    <message>
        <source>waiting for {who}, with more rows</source>
        <translation>행이 더 많은 {who} 대기</translation>
    </message>
    <message>
        <source>waiting in collectives</source>
        <translation>집합 통신에서 대기</translation>
    </message>
    <message>
        <source>waits for ranks</source>
        <translation>랭크 대기</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>워밍업</translation>
    </message>
    <message>
        <source>warm-up only</source>
        <translation>워밍업만</translation>
    </message>
    <message>
        <source>warm-up {number}</source>
        <translation>워밍업 {number}</translation>
    </message>
    <message>
        <source>warm-up {n} of {total}</source>
        <translation>워밍업 {n}/{total}</translation>
    </message>
    <message>
        <source>warmup</source>
        <translation>워밍업</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>경고</translation>
    </message>
    <message>
        <source>was ended after {a} s, inside a long operation</source>
        <translation>긴 연산 중에 {a} s 뒤 종료되었습니다</translation>
    </message>
    <message>
        <source>was ended by {a}{b}</source>
        <translation>{a}에 의해 종료되었습니다{b}</translation>
    </message>
    <message>
        <source>web</source>
        <translation>웹</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>가중치</translation>
    </message>
    <message>
        <source>what</source>
        <translation>항목</translation>
    </message>
    <message>
        <source>what is packed in it is damaged</source>
        <translation>안에 담긴 내용이 손상되었습니다</translation>
    </message>
    <message>
        <source>what the ranks tell makes no sense: {a}</source>
        <translation>랭크들이 보낸 내용이 맞지 않습니다: {a}</translation>
    </message>
    <message>
        <source>what was said</source>
        <translation>내용</translation>
    </message>
    <message>
        <source>where spans are missing</source>
        <translation>스팬이 누락된 곳</translation>
    </message>
    <message>
        <source>while another stream of the device works</source>
        <translation>장치의 다른 스트림이 작업 중</translation>
    </message>
    <message>
        <source>while the pipeline drains</source>
        <translation>파이프라인이 비워지는 동안</translation>
    </message>
    <message>
        <source>while the pipeline fills</source>
        <translation>파이프라인이 채워지는 동안</translation>
    </message>
    <message>
        <source>whole batches</source>
        <translation>온전한 배치</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>전체 실행</translation>
    </message>
    <message>
        <source>width</source>
        <translation>너비</translation>
    </message>
    <message>
        <source>width 1 instead of {a}</source>
        <translation>너비 {a} 대신 1</translation>
    </message>
    <message>
        <source>width {b} instead of {a}</source>
        <translation>너비 {a} 대신 {b}</translation>
    </message>
    <message>
        <source>w{number}</source>
        <translation>w{number}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>예</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>예 또는 아니요</translation>
    </message>
    <message>
        <source>{a} a second time</source>
        <translation>{a}이(가) 두 번째로 나옵니다</translation>
    </message>
    <message>
        <source>{a} against {b}</source>
        <translation>{a} 대 {b}</translation>
    </message>
    <message>
        <source>{a} cannot be read as a schedule</source>
        <translation>{a}을(를) 스케줄로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read as a trace in Chrome&apos;s format</source>
        <translation>{a}을(를) Chrome 형식의 트레이스로 읽을 수 없습니다</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}</source>
        <translation>{a}을(를) 읽을 수 없습니다: {b}</translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}</source>
        <translation>{a}을(를) 쓸 수 없습니다: {b}</translation>
    </message>
    <message>
        <source>{a} columns; use at most {b}</source>
        <translation>열 {a}개; 최대 {b}개를 쓰세요</translation>
    </message>
    <message>
        <source>{a} did not end a step in {b} s</source>
        <translation>{a}이(가) {b}초 안에 스텝을 끝내지 못했습니다</translation>
    </message>
    <message>
        <source>{a} gives no rows; use a query that does, such as FROM steps</source>
        <translation>{a}은(는) 행을 내지 않습니다. FROM steps처럼 행을 내는 쿼리를 사용하세요</translation>
    </message>
    <message>
        <source>{a} continues after the recording&apos;s end: its last {b} bytes are not shown</source>
        <translation>{a}: 기록의 끝 뒤에도 내용이 있습니다. 마지막 {b}바이트는 표시하지 않습니다</translation>
    </message>
    <message>
        <source>{a} has a damaged header: {b}</source>
        <translation>{a}의 헤더가 손상되었습니다: {b}</translation>
    </message>
    <message>
        <source>{a} has format {b}; this version reads format {c}: record it again</source>
        <translation>{a}의 형식은 {b}이지만 이 버전은 형식 {c}을(를) 읽습니다. 새로 기록하세요</translation>
    </message>
    <message>
        <source>{a} has no complete event (ph X) that says when it ran</source>
        <translation>{a}에 실행 시각이 있는 완전한 이벤트(ph X)가 없습니다</translation>
    </message>
    <message>
        <source>{a} has no index, so it is held in memory: {b}</source>
        <translation>{a}에 색인이 없어 메모리에 둡니다: {b}</translation>
    </message>
    <message>
        <source>{a} has no step {b}; it has {c} to {d}</source>
        <translation>{a}에 스텝 {b}이(가) 없습니다. {c}부터 {d}까지 있습니다</translation>
    </message>
    <message>
        <source>{a} has no timed events: spans are the host&apos;s times, of work alone</source>
        <translation>{a}에는 시간이 기록된 이벤트가 없습니다. 스팬은 작업만의 호스트 시간입니다</translation>
    </message>
    <message>
        <source>{a} has no whole step to compare; use one that has run some</source>
        <translation>{a}에 비교할 온전한 스텝이 없습니다. 스텝을 실행한 것을 사용하세요</translation>
    </message>
    <message>
        <source>{a} has {b} streams for {c} lanes: lanes that share one take turns</source>
        <translation>{a}에는 레인 {c}개에 스트림이 {b}개뿐입니다. 하나를 함께 쓰는 레인은 번갈아 실행됩니다</translation>
    </message>
    <message>
        <source>{a} holds no action</source>
        <translation>{a}에 동작이 없습니다</translation>
    </message>
    <message>
        <source>{a} is an Arrow stream, but not a recording of Bubblescope</source>
        <translation>{a}은(는) Arrow 스트림이지만 Bubblescope의 기록이 아닙니다</translation>
    </message>
    <message>
        <source>{a} is damaged</source>
        <translation>{a}이(가) 손상되었습니다</translation>
    </message>
    <message>
        <source>{a} is damaged: its columns are not those of a recording</source>
        <translation>{a}이(가) 손상되었습니다. 열이 기록의 열이 아닙니다</translation>
    </message>
    <message>
        <source>{a} is for {b} micro-batches, not {c}</source>
        <translation>{a}은(는) 마이크로배치 {b}개용이며 {c}개용이 아닙니다</translation>
    </message>
    <message>
        <source>{a} is named for two outputs; use a file for each</source>
        <translation>{a}이(가) 두 출력에 지정되었습니다. 출력마다 다른 파일을 사용하세요</translation>
    </message>
    <message>
        <source>{a} is not a mark; {b}</source>
        <translation>{a}은(는) 표시가 아닙니다. {b}</translation>
    </message>
    <message>
        <source>{a} is no recording: it does not begin as an Arrow stream does</source>
        <translation>{a}은(는) 기록이 아닙니다. Arrow 스트림처럼 시작하지 않습니다</translation>
    </message>
    <message>
        <source>{a} is no recording: {b}</source>
        <translation>{a}은(는) 기록이 아닙니다: {b}</translation>
    </message>
    <message>
        <source>{a} is not for {b}; it is for {c}</source>
        <translation>{a}은(는) {b}에 쓸 수 없습니다. 쓸 수 있는 것: {c}</translation>
    </message>
    <message>
        <source>{a} is of no stage: only plans of stages have a schedule</source>
        <translation>{a}에 스테이지가 없습니다. 스테이지가 있는 계획에만 스케줄이 있습니다</translation>
    </message>
    <message>
        <source>{a} lanes do not divide {b} {c}; use {d}{e} lanes</source>
        <translation>{b} {c}은(는) 레인 {a}개로 나누어떨어지지 않습니다. 레인 {d}{e}개를 사용하세요</translation>
    </message>
    <message>
        <source>{a} lanes share {b}</source>
        <translation>레인 {a}개가 {b}을(를) 함께 씀</translation>
    </message>
    <message>
        <source>{a} lanes share {b} cores</source>
        <translation>레인 {a}개가 코어 {b}개를 공유합니다</translation>
    </message>
    <message>
        <source>{a} line {b} holds no action; each line is a rank&apos;s</source>
        <translation>{a}의 {b}번째 줄에 동작이 없습니다. 각 줄은 한 랭크의 것입니다</translation>
    </message>
    <message>
        <source>{a} line {b}, cell {c}</source>
        <translation>{a} {b}번째 줄, 칸 {c}</translation>
    </message>
    <message>
        <source>{a} lists a block twice, and each is timed by itself in a rank; put both uses into one block</source>
        <translation>{a}에 한 블록이 두 번 있는데, 랭크에서는 블록마다 시간을 따로 잽니다. 두 사용을 한 블록에 넣으세요</translation>
    </message>
    <message>
        <source>{a} micro-batches on {b} ranks make no {c} equal rounds: use a multiple of {d}</source>
        <translation>랭크 {b}개에서 마이크로배치 {a}개는 {c}개의 같은 라운드로 나뉘지 않습니다. {d}의 배수를 사용하세요</translation>
    </message>
    <message>
        <source>{a} micro-batches through {b} stages are {c} passes: use fewer of them, so that there are at most {d}</source>
        <translation>스테이지 {b}개를 지나는 마이크로배치 {a}개는 패스 {c}개입니다. 패스가 최대 {d}개가 되도록 줄이세요</translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B: it adds {adds} ms to B&apos;s step.</source>
        <translation>A에서 {a} ms, B에서 {b} ms: B의 스텝에 {adds} ms를 더합니다.</translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B; it costs only what compute lanes wait for.</source>
        <translation>A에서 {a} ms, B에서 {b} ms. 계산 레인이 기다린 만큼만 비용이 듭니다.</translation>
    </message>
    <message>
        <source>{a} of replica {b}, but micro-batch {c} is replica {d}&apos;s</source>
        <translation>복제본 {b}의 {a}이지만 마이크로배치 {c}은(는) 복제본 {d}의 것입니다</translation>
    </message>
    <message>
        <source>{a} of {b} ranks had connected</source>
        <translation>랭크 {b}개 중 {a}개가 연결되었습니다</translation>
    </message>
    <message>
        <source>{a} of {b} tasks have no span ({c}{d})</source>
        <translation>작업 {b}개 중 {a}개에 스팬이 없습니다 ({c}{d})</translation>
    </message>
    <message>
        <source>{a} operations were left out: no optimizer ended their step</source>
        <translation>작업 {a}개를 제외했습니다: 해당 스텝을 끝낸 옵티마이저가 없습니다</translation>
    </message>
    <message>
        <source>{a} parts of the range are not counted yet</source>
        <translation>범위 중 {a}개 부분은 아직 집계되지 않았습니다</translation>
    </message>
    <message>
        <source>{a} ranks on {b}; all steps begin together</source>
        <translation>{b}의 랭크 {a}개. 모든 스텝이 함께 시작합니다</translation>
    </message>
    <message>
        <source>{a} replicas do not divide {b} lanes; use a number that does</source>
        <translation>레인 {b}개는 복제본 {a}개로 나누어떨어지지 않습니다. 나누어떨어지는 수를 사용하세요</translation>
    </message>
    <message>
        <source>{a} rows do not divide by {b} ranks: shared unpadded as {c}; DistributedSampler would repeat {d} rows instead</source>
        <translation>{a}개 행은 랭크 {b}개로 나누어떨어지지 않습니다. 채우지 않고 {c}(으)로 나눕니다. DistributedSampler라면 대신 {d}개 행을 반복합니다</translation>
    </message>
    <message>
        <source>{a} runs {b}: a backward is over all micro-batches where there is one loss for all of them, and only there</source>
        <translation>{a}이(가) {b}을(를) 실행합니다. 모든 마이크로배치에 대한 역전파는 손실이 모두에 하나일 때, 그리고 그때에만 있습니다</translation>
    </message>
    <message>
        <source>{a} runs: use at most {b}</source>
        <translation>실행 {a}번: 최대 {b}번을 사용하세요</translation>
    </message>
    <message>
        <source>{a} spans are of tasks that have one already</source>
        <translation>스팬 {a}개의 작업에 이미 스팬이 있습니다</translation>
    </message>
    <message>
        <source>{a} stages cannot be shared in lanes of {b} chunks: use a multiple of {c}</source>
        <translation>스테이지 {a}개를 청크 {b}개의 레인으로 나눌 수 없습니다. {c}의 배수를 사용하세요</translation>
    </message>
    <message>
        <source>{a} stages need at least {b} blocks, but {c} has {d}: use at most {e} stages</source>
        <translation>스테이지 {a}개에는 최소 {b}개의 블록이 필요하지만 {c}에는 {d}개가 있습니다. 스테이지를 최대 {e}개 사용하세요</translation>
    </message>
    <message>
        <source>{a} steps are not in every rank&apos;s stream: they are left out</source>
        <translation>스텝 {a}개가 모든 랭크의 스트림에 있지는 않아 제외되었습니다</translation>
    </message>
    <message>
        <source>{a} was cut before its first batch: there is nothing to show</source>
        <translation>{a}이(가) 첫 배치 전에 잘려 표시할 것이 없습니다</translation>
    </message>
    <message>
        <source>{a} weights cannot make {b} runs</source>
        <translation>가중치 {a}개로는 {b}개의 연속 구간을 만들 수 없습니다</translation>
    </message>
    <message>
        <source>{a} {b} and {c} {d} exclude each other; use one of them</source>
        <translation>{a} {b}, {c} {d}은(는) 함께 쓸 수 없습니다. 하나만 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b} is a limit for {c}; add that</source>
        <translation>{a} {b}은(는) {c}에 대한 한도입니다. 그것도 함께 지정하세요</translation>
    </message>
    <message>
        <source>{a} {b} is for virtual lanes, and {c} is a real one; use --devices {d}xvirtual</source>
        <translation>{a} {b}은(는) 가상 레인용이지만 {c}은(는) 실제 레인입니다. --devices {d}xvirtual을 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b} is not for {c}, which takes {d}</source>
        <translation>{a} {b}은(는) {c}에 쓸 수 없습니다. 쓸 수 있는 것: {d}</translation>
    </message>
    <message>
        <source>{a} {b} need at least {c} rows, but {d} has {e}: use at most {f} {g}</source>
        <translation>{a} {b}에는 최소 {c}개의 행이 필요하지만 {d}에는 {e}개가 있습니다. 최대 {f} {g}을(를) 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b}: it is shown up to its last whole batch, {c} spans</source>
        <translation>{a} {b}: 마지막 온전한 배치까지, 스팬 {c}개를 표시합니다</translation>
    </message>
    <message>
        <source>{a} {b}: no task of this plan is there to be lengthened</source>
        <translation>{a} {b}: 이 계획에는 늘릴 작업이 없습니다</translation>
    </message>
    <message>
        <source>{a} {b}: that is a folder; name a file</source>
        <translation>{a} {b}: 폴더입니다. 파일 이름을 지정하세요</translation>
    </message>
    <message>
        <source>{a} {b}: that is there; name a new or an empty folder</source>
        <translation>{a} {b}: 이미 있습니다. 새 폴더나 빈 폴더를 지정하세요</translation>
    </message>
    <message>
        <source>{a} {b}: that is what is read; name another file</source>
        <translation>{a} {b}: 읽고 있는 파일입니다; 다른 파일 이름을 쓰세요</translation>
    </message>
    <message>
        <source>{a} {b}: there is no folder {c}; use one that exists</source>
        <translation>{a} {b}: {c} 폴더가 없습니다. 있는 폴더를 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b}: use {c}, each number below 10^9</source>
        <translation>{a} {b}: {c}을(를) 사용하고, 각 수는 10^9 미만이어야 합니다</translation>
    </message>
    <message>
        <source>{a} {b}: write &apos;{c}&apos; for {d} values, or &apos;{e}{f}&apos; for one with commas in it</source>
        <translation>{a} {b}: 값 {d}개는 &apos;{c}&apos;, 쉼표가 든 값 하나는 &apos;{e}{f}&apos;로 쓰세요</translation>
    </message>
    <message>
        <source>{a} {b}: {c} cannot be written; use a folder that can</source>
        <translation>{a} {b}: {c}에 쓸 수 없습니다. 쓸 수 있는 폴더를 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b}: {c} cannot be written; use one that can</source>
        <translation>{a} {b}: {c}에 쓸 수 없습니다. 쓸 수 있는 것을 사용하세요</translation>
    </message>
    <message>
        <source>{a} {b}: {c} is there twice</source>
        <translation>{a} {b}: {c}이(가) 두 번 있습니다</translation>
    </message>
    <message>
        <source>{a} {b}:{c}: use a factor above 0</source>
        <translation>{a} {b}:{c}: 0보다 큰 배수를 사용하세요</translation>
    </message>
    <message>
        <source>{a}, but it holds {b}{c}</source>
        <translation>{a}, 그러나 가진 것은 {b}입니다{c}</translation>
    </message>
    <message>
        <source>{a}, but micro-batches are 0 to {b}</source>
        <translation>{a}, 그러나 마이크로배치는 0부터 {b}까지입니다</translation>
    </message>
    <message>
        <source>{a}, or an epoch</source>
        <translation>{a}, 또는 한 에포크</translation>
    </message>
    <message>
        <source>{a}, which needs the number of a micro-batch</source>
        <translation>{a}, 그러나 마이크로배치 번호가 필요합니다</translation>
    </message>
    <message>
        <source>{a}: a value is missing; {b} is its own</source>
        <translation>{a}: 값이 빠졌습니다. 옵션의 기본값은 {b}(으)로 씁니다</translation>
    </message>
    <message>
        <source>{a}: faults are put into virtual lanes alone</source>
        <translation>{a}: 결함은 가상 레인에만 넣을 수 있습니다</translation>
    </message>
    <message>
        <source>{a}: faults are put into virtual lanes alone; use --devices {b}xvirtual</source>
        <translation>{a}: 결함은 가상 레인에만 넣을 수 있습니다. --devices {b}xvirtual을 사용하세요</translation>
    </message>
    <message>
        <source>{a}: it was built again</source>
        <translation>{a}: 새로 만들었습니다</translation>
    </message>
    <message>
        <source>{a}: its marks are left out</source>
        <translation>{a}: 이 기록의 표시는 제외됩니다</translation>
    </message>
    <message>
        <source>{a}: name each {b} once</source>
        <translation>{a}: 각 {b}을(를) 한 번씩 지정하세요</translation>
    </message>
    <message>
        <source>{a}: no task has a span</source>
        <translation>{a}: 스팬이 있는 작업이 없습니다</translation>
    </message>
    <message>
        <source>{a}: nothing to look for; write a word, or a key such as kind:forward</source>
        <translation>{a}: 찾을 것이 없습니다. 단어, 또는 kind:forward 같은 키를 쓰세요</translation>
    </message>
    <message>
        <source>{a}: only a run measures the blocks to balance; use --borders, such as 3,7</source>
        <translation>{a}: 균형을 맞출 블록은 실행에서만 측정합니다. --borders를 사용하세요(예: 3,7)</translation>
    </message>
    <message>
        <source>{a}: stands between what one key may be, without spaces: kind:loss|step mb:2|5</source>
        <translation>{a}: |는 한 키의 여러 값 사이에 공백 없이 씁니다: kind:loss|step mb:2|5</translation>
    </message>
    <message>
        <source>{a}: the measured steps are 1 to {b}</source>
        <translation>{a}: 측정 스텝은 1부터 {b}까지입니다</translation>
    </message>
    <message>
        <source>{a}: the schedule misses {b}F{c}</source>
        <translation>{a}: 스케줄에 {b}F{c}이(가) 없습니다</translation>
    </message>
    <message>
        <source>{a}: there is no key {b}; use one of {c}</source>
        <translation>{a}: {b} 키가 없습니다. {c} 중 하나를 사용하세요</translation>
    </message>
    <message>
        <source>{a}: there is no kind {b}; use {c}{d}</source>
        <translation>{a}: {b} 종류가 없습니다. {c}을(를) 사용하세요{d}</translation>
    </message>
    <message>
        <source>{a}: there is no such file</source>
        <translation>{a}: 그런 파일이 없습니다</translation>
    </message>
    <message>
        <source>{a}: write a duration as &gt;5ms, &lt;=10us, &gt;=1.5s or &lt;300ns</source>
        <translation>{a}: 길이를 &gt;5ms, &lt;=10us, &gt;=1.5s 또는 &lt;300ns처럼 쓰세요</translation>
    </message>
    <message>
        <source>{a}: {b} is empty; write the smaller number first: {c}-{d}</source>
        <translation>{a}: {b}은(는) 비어 있습니다. 작은 수를 먼저 쓰세요: {c}-{d}</translation>
    </message>
    <message>
        <source>{a}: {b} is no action; {c}</source>
        <translation>{a}: {b}은(는) 동작이 아닙니다. {c}</translation>
    </message>
    <message>
        <source>{a}: {b} is no number; {c} takes {d}{e}</source>
        <translation>{a}: {b}은(는) 수가 아닙니다. {c}에 쓸 수 있는 것: {d}{e}</translation>
    </message>
    <message>
        <source>{a}{b}; tables are {c}</source>
        <translation>{a}{b}; 테이블: {c}</translation>
    </message>
    <message>
        <source>{blocking} and {n} more</source>
        <translation>{blocking} 외 {n}개</translation>
    </message>
    <message>
        <source>{b} cores a lane instead of {a}</source>
        <translation>레인당 코어 {a}개 대신 {b}개</translation>
    </message>
    <message>
        <source>{b} instead of {a}</source>
        <translation>{a} 대신 {b}</translation>
    </message>
    <message>
        <source>{b} lanes instead of {a}</source>
        <translation>레인 {a}개 대신 {b}개</translation>
    </message>
    <message>
        <source>{b} micro-batches instead of {a}</source>
        <translation>마이크로배치 {a}개 대신 {b}개</translation>
    </message>
    <message>
        <source>{b} replicas instead of {a}</source>
        <translation>복제본 {a}개 대신 {b}개</translation>
    </message>
    <message>
        <source>{b} rows instead of {a}</source>
        <translation>{a} 행 대신 {b} 행</translation>
    </message>
    <message>
        <source>{b} stages instead of {a}</source>
        <translation>스테이지 {a}개 대신 {b}개</translation>
    </message>
    <message>
        <source>{collective}: who came last is not certain; wait {wait} ± {clock}, transfer {transfer} ± {clock}</source>
        <translation>{collective}: 마지막에 온 랭크가 확실하지 않음. 대기 {wait} ± {clock}, 전송 {transfer} ± {clock}</translation>
    </message>
    <message>
        <source>{collective}: {lane} came last ({count} of {times}); wait {wait}, transfer {transfer}</source>
        <translation>{collective}: {lane}이(가) 마지막 ({times}번 중 {count}번). 대기 {wait}, 전송 {transfer}</translation>
    </message>
    <message>
        <source>{cores} cores a lane</source>
        <translation>레인당 코어 {cores}개</translation>
    </message>
    <message>
        <source>{count} hits</source>
        <translation>결과 {count}개</translation>
    </message>
    <message>
        <source>{count} measured steps</source>
        <translation>측정 스텝 {count}개</translation>
    </message>
    <message>
        <source>{count} of {all} spans</source>
        <translation>스팬 {all}개 중 {count}개</translation>
    </message>
    <message>
        <source>{count} of {lanes} lanes get no rows.</source>
        <translation>레인 {lanes}개 중 {count}개는 행을 받지 않습니다.</translation>
    </message>
    <message>
        <source>{count} runs of this sitting are in no file yet.</source>
        <translation>이번 세션의 실행 {count}개가 아직 파일에 저장되지 않았습니다.</translation>
    </message>
    <message>
        <source>{count} so far, {share}</source>
        <translation>지금까지 {count}개, {share}</translation>
    </message>
    <message>
        <source>{count} spans</source>
        <translation>스팬 {count}개</translation>
    </message>
    <message>
        <source>{count} spans in {time} on {lane}</source>
        <translation>{lane}: {time} 동안 스팬 {count}개</translation>
    </message>
    <message>
        <source>{count} steps recorded</source>
        <translation>스텝 {count}개 기록됨</translation>
    </message>
    <message>
        <source>{cut} by the range: their parts inside count in times, and they count whole in counts, means, percentiles, maxima and the histogram.</source>
        <translation>범위 때문에 {cut}. 시간에는 범위 안의 부분만, 개수, 평균, 백분위수, 최댓값, 히스토그램에는 전체를 셉니다.</translation>
    </message>
    <message>
        <source>{device} computes for {most} a step, a device on average for {mean}: evenly divided that would be up to {loss} less ({share}).</source>
        <translation>{device}의 계산은 스텝당 {most}, 장치 평균은 {mean}: 고르게 나누면 최대 {loss} ({share}) 줄어듭니다.</translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; Run sweep goes on.</source>
        <translation>실행 {all}개 중 {done}개가 끝났습니다. 스윕 실행을 누르면 계속합니다.</translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; now {now}.</source>
        <translation>실행 {all}개 중 {done}개가 끝났습니다. 현재 {now}.</translation>
    </message>
    <message>
        <source>{duration} for others</source>
        <translation>그 밖 {duration}</translation>
    </message>
    <message>
        <source>{duration} for {blocking} on {place}: {cause}</source>
        <translation>{duration}, {place}의 {blocking} 대기: {cause}</translation>
    </message>
    <message>
        <source>{duration} while {action} ({blocking})</source>
        <translation>{duration}, 그동안 {action} ({blocking})</translation>
    </message>
    <message>
        <source>{duration}: {cause}</source>
        <translation>{duration}: {cause}</translation>
    </message>
    <message>
        <source>{family} is too faint: {ratio}:1 against the plot, at least 3:1 is needed.</source>
        <translation>{family} 색이 너무 흐립니다: 배경과의 대비가 {ratio}:1이며, 최소 3:1이 필요합니다.</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first}~{last}</translation>
    </message>
    <message>
        <source>{first} to {last}: {spans}, {share}</source>
        <translation>{first}~{last}: {spans}, {share}</translation>
    </message>
    <message>
        <source>{forward} forward, {backward} backward</source>
        <translation>순전파 {forward}, 역전파 {backward}</translation>
    </message>
    <message>
        <source>{here} of {world} ranks are connected.</source>
        <translation>랭크 {world}개 중 {here}개가 연결되었습니다.</translation>
    </message>
    <message>
        <source>{hits}, cancelled</source>
        <translation>{hits}, 취소됨</translation>
    </message>
    <message>
        <source>{idle} ({least} to {most})</source>
        <translation>{idle} ({least}~{most})</translation>
    </message>
    <message>
        <source>{lanes} lanes</source>
        <translation>레인 {lanes}개</translation>
    </message>
    <message>
        <source>{lanes} lanes, {tasks} tasks: makespan {makespan}, bubble {bubble}</source>
        <translation>레인 {lanes}개, 작업 {tasks}개: 총 소요 시간 {makespan}, 버블 {bubble}</translation>
    </message>
    <message>
        <source>{lane} computes the loss</source>
        <translation>{lane}에서 손실 계산</translation>
    </message>
    <message>
        <source>{lane} computes {measured}, predicted {predicted}{error}</source>
        <translation>{lane} 계산 {measured}, 예측 {predicted}{error}</translation>
    </message>
    <message>
        <source>{lane} copies the model</source>
        <translation>{lane}에서 모델 복사</translation>
    </message>
    <message>
        <source>{lane} gathers or reduces</source>
        <translation>{lane}에서 모으기 또는 리듀스</translation>
    </message>
    <message>
        <source>{lane} holds {size}, of it activations {part}</source>
        <translation>{lane} 보유 {size}, 그중 활성값 {part}</translation>
    </message>
    <message>
        <source>{lane} is chosen. {more}</source>
        <translation>{lane}을(를) 선택했습니다. {more}</translation>
    </message>
    <message>
        <source>{lane} is idle</source>
        <translation>{lane} 유휴</translation>
    </message>
    <message>
        <source>{lane} is idle for {time}</source>
        <translation>{lane} 유휴: {time}</translation>
    </message>
    <message>
        <source>{lane} is idle for {time}, {share} of the step: {cause}.</source>
        <translation>{lane} 유휴: {time}, 스텝의 {share}. 원인: {cause}.</translation>
    </message>
    <message>
        <source>{lane} scatters</source>
        <translation>{lane}에서 나누기</translation>
    </message>
    <message>
        <source>{lane} updates the model</source>
        <translation>{lane}에서 모델 갱신</translation>
    </message>
    <message>
        <source>{lane} waits {duration}: {reasons}</source>
        <translation>{lane} 대기 {duration}: {reasons}</translation>
    </message>
    <message>
        <source>{lane} waits {reason}</source>
        <translation>{lane} 대기 {reason}</translation>
    </message>
    <message>
        <source>{lane} waits {time}</source>
        <translation>{lane} 대기 {time}</translation>
    </message>
    <message>
        <source>{lane} works</source>
        <translation>{lane} 작업</translation>
    </message>
    <message>
        <source>{latency} µs, {bandwidth} GB/s</source>
        <translation>{latency} µs, {bandwidth} GB/s</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least}~{most}</translation>
    </message>
    <message>
        <source>{least} to {most} rows</source>
        <translation>{least}~{most} 행</translation>
    </message>
    <message>
        <source>{letter}: {run}</source>
        <translation>{letter}: {run}</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low}~{high}</translation>
    </message>
    <message>
        <source>{model}, batch {rows}, {lanes} lanes. Costs {source}.</source>
        <translation>{model}, 배치 {rows}, 레인 {lanes}개. 비용: {source}.</translation>
    </message>
    <message>
        <source>{model}, {rows} rows: {source}.</source>
        <translation>{model}, {rows} 행: {source}.</translation>
    </message>
    <message>
        <source>{moment} since {start}</source>
        <translation>{start} 기준 {moment}</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 외 {n}개</translation>
    </message>
    <message>
        <source>{name} (missing)</source>
        <translation>{name} (없음)</translation>
    </message>
    <message>
        <source>{name} is incomplete: {fault}{more}</source>
        <translation>{name}: 불완전합니다: {fault}{more}</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number}/{count}</translation>
    </message>
    <message>
        <source>{number}: {name}, forward {forward}, backward {backward}, {share} of the time</source>
        <translation>{number}: {name}, 순전파 {forward}, 역전파 {backward}, 시간의 {share}</translation>
    </message>
    <message>
        <source>{number}: {name}, {parameters} parameters, {share} of all</source>
        <translation>{number}: {name}, 파라미터 {parameters}개, 전체의 {share}</translation>
    </message>
    <message>
        <source>{number}: {title}</source>
        <translation>{number}: {title}</translation>
    </message>
    <message>
        <source>{n} arrows lack their beginning or their end.</source>
        <translation>화살표 {n}개에 시작이나 끝이 없습니다.</translation>
    </message>
    <message>
        <source>{n} collectives have no end time: each is shown as a moment.</source>
        <translation>집합 통신 {n}개에 끝난 시각이 없어 순간으로 표시합니다.</translation>
    </message>
    <message>
        <source>{n} earlier steps on screen were not searched.</source>
        <translation>화면에 있는 앞선 스텝 {n}개는 검색하지 않았습니다.</translation>
    </message>
    <message>
        <source>{n} events had not ended when the next of their row began: they are shown up to there, shorter by less than 1 %.</source>
        <translation>같은 행의 다음 이벤트가 시작할 때 이벤트 {n}개가 끝나지 않았습니다. 그 지점까지 표시하며, 1% 미만 짧아집니다.</translation>
    </message>
    <message>
        <source>{n} events of kinds that are not shown are left out.</source>
        <translation>표시하지 않는 종류의 이벤트 {n}개를 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} events overlap others of their row without being nested in them: they are shown in separate rows.</source>
        <translation>이벤트 {n}개가 같은 줄의 다른 이벤트에 속하지 않으면서 겹칩니다: 따로 줄을 둡니다.</translation>
    </message>
    <message>
        <source>{n} events that begin and never end are left out.</source>
        <translation>시작하고 끝나지 않는 이벤트 {n}개를 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} events that end and never began are left out.</source>
        <translation>시작 없이 끝나는 이벤트 {n}개를 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} events without a time are left out.</source>
        <translation>시간이 없는 이벤트 {n}개를 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} files have the same rank as another file.</source>
        <translation>파일 {n}개의 랭크가 다른 파일과 같습니다.</translation>
    </message>
    <message>
        <source>{n} files do not contain their rank: it is taken from the order of their names.</source>
        <translation>파일 {n}개에 랭크가 적혀 있지 않아 이름 순서로 정했습니다.</translation>
    </message>
    <message>
        <source>{n} files of the folder cannot be read.</source>
        <translation>폴더의 파일 {n}개를 읽을 수 없습니다.</translation>
    </message>
    <message>
        <source>{n} further lanes are not listed.</source>
        <translation>그 밖의 레인 {n}개는 목록에 없습니다.</translation>
    </message>
    <message>
        <source>{n} lanes</source>
        <translation>레인 {n}개</translation>
    </message>
    <message>
        <source>{n} measured steps of {least} to {most} ms</source>
        <translation>측정 스텝 {n}개, {least}~{most} ms</translation>
    </message>
    <message>
        <source>{n} names of processes or threads cannot be read: numbers are shown instead.</source>
        <translation>프로세스나 스레드의 이름 {n}개를 읽을 수 없어 번호로 나타냅니다.</translation>
    </message>
    <message>
        <source>{n} process numbers are used for two things: these are shown separately.</source>
        <translation>프로세스 번호 {n}개가 두 가지를 가리켜 구분했습니다.</translation>
    </message>
    <message>
        <source>{n} of {count} arrows; zoom in</source>
        <translation>화살표 {count}개 중 {n}개, 확대하세요</translation>
    </message>
    <message>
        <source>{n} of {count} files cannot be opened: {problems}</source>
        <translation>파일 {count}개 중 {n}개를 열 수 없습니다: {problems}</translation>
    </message>
    <message>
        <source>{n} packets could not be read: they are left out.</source>
        <translation>패킷 {n}개를 읽을 수 없어 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} ranks have no time in common with the first: each begins at 0.</source>
        <translation>랭크 {n}개가 첫째와 공통된 시간이 없어 각각 0에서 시작합니다.</translation>
    </message>
    <message>
        <source>{n} rows of the database have no valid time: they are left out.</source>
        <translation>데이터베이스에서 유효한 시간이 없는 행 {n}개를 제외했습니다.</translation>
    </message>
    <message>
        <source>{n} spans</source>
        <translation>스팬 {n}개</translation>
    </message>
    <message>
        <source>{n} spans are cut</source>
        <translation>스팬 {n}개가 잘렸습니다</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>스텝 {n}개</translation>
    </message>
    <message>
        <source>{n} tasks matched</source>
        <translation>짝지은 작업 {n}개</translation>
    </message>
    <message>
        <source>{n} tasks of a device have no call that launched them.</source>
        <translation>장치의 작업 {n}개에 그것을 시작한 호출이 없습니다.</translation>
    </message>
    <message>
        <source>{n} tasks still run and are not counted.</source>
        <translation>작업 {n}개가 아직 실행 중이어서 집계되지 않습니다.</translation>
    </message>
    <message>
        <source>{n} warm-up steps</source>
        <translation>워밍업 스텝 {n}개</translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <translation>{one}, {other}</translation>
    </message>
    <message>
        <source>{one} and {other} are hard to tell apart with {vision}.</source>
        <translation>{vision}에서는 {one} 색과 {other} 색을 구별하기 어렵습니다.</translation>
    </message>
    <message>
        <source>{rows} rows</source>
        <translation>{rows} 행</translation>
    </message>
    <message>
        <source>{schedule} has no formula for these numbers.</source>
        <translation>{schedule}: 이 수에 대한 공식이 없습니다.</translation>
    </message>
    <message>
        <source>{schedule} says itself how many stages a device holds: {chunks}.</source>
        <translation>{schedule}: 장치당 스테이지 수를 스스로 정합니다: {chunks}.</translation>
    </message>
    <message>
        <source>{schedule}, {n} replicas</source>
        <translation>{schedule}, 복제본 {n}개</translation>
    </message>
    <message>
        <source>{setting} failed: {why}</source>
        <translation>{setting} 실패: {why}</translation>
    </message>
    <message>
        <source>{setting}: {mean} in one run</source>
        <translation>{setting}: 한 번 실행에서 {mean}</translation>
    </message>
    <message>
        <source>{setting}: {mean}, deviation {off}, {runs} runs</source>
        <translation>{setting}: {mean}, 편차 {off}, 실행 {runs}번</translation>
    </message>
    <message>
        <source>{share} of the lanes are busy {at}</source>
        <translation>{at}: 레인의 {share} 작업 중</translation>
    </message>
    <message>
        <source>{shortest} to {longest}</source>
        <translation>{shortest}~{longest}</translation>
    </message>
    <message>
        <source>{shown} of {all} names are listed, those with the most time.</source>
        <translation>이름 {all}개 중 시간이 가장 많은 {shown}개를 나열합니다.</translation>
    </message>
    <message>
        <source>{shown} of {all} outliers are listed, those that lost the most time.</source>
        <translation>이상값 {all}개 중 시간을 가장 많이 잃은 {shown}개를 나열합니다.</translation>
    </message>
    <message>
        <source>{shown} of {count} joins</source>
        <translation>잇기 {count}개 중 {shown}개</translation>
    </message>
    <message>
        <source>{shown} of {n} lanes</source>
        <translation>레인 {n}개 중 {shown}개</translation>
    </message>
    <message>
        <source>{shown} of {n} lanes are shown.</source>
        <translation>레인 {n}개 중 {shown}개를 표시합니다.</translation>
    </message>
    <message>
        <source>{size} ({what})</source>
        <translation>{size} ({what})</translation>
    </message>
    <message>
        <source>{spans}, cancelled</source>
        <translation>{spans}, 취소됨</translation>
    </message>
    <message>
        <source>{stage}: {lane}, {share}</source>
        <translation>{stage}: {lane}, {share}</translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation>{start}~{end}</translation>
    </message>
    <message>
        <source>{start} to {end} ({length})</source>
        <translation>{start}~{end} ({length})</translation>
    </message>
    <message>
        <source>{start} to {end} of {name}</source>
        <translation>{name}의 {start}~{end}</translation>
    </message>
    <message>
        <source>{start}, for {length}</source>
        <translation>{start}, 길이 {length}</translation>
    </message>
    <message>
        <source>{step}
Click to see it.</source>
        <translation>{step}
클릭하면 봅니다.</translation>
    </message>
    <message>
        <source>{step} (select a bar to see its own step)</source>
        <translation>{step} (막대를 선택하면 그 스텝을 봅니다)</translation>
    </message>
    <message>
        <source>{step} an iteration, {between} of them between steps.</source>
        <translation>반복당 {step}, 그중 스텝 사이 {between}.</translation>
    </message>
    <message>
        <source>{step}, the median of {count} steps</source>
        <translation>{step}, 스텝 {count}개의 중앙값</translation>
    </message>
    <message>
        <source>{strategy}: {way}</source>
        <translation>{strategy}: {way}</translation>
    </message>
    <message>
        <source>{task} on {lane}</source>
        <translation>{lane}의 {task}</translation>
    </message>
    <message>
        <source>{task} on {lane}; began {time} after it</source>
        <translation>{lane}의 {task}, {time} 뒤 시작</translation>
    </message>
    <message>
        <source>{time} after the start</source>
        <translation>시작 후 {time}</translation>
    </message>
    <message>
        <source>{time} before it began</source>
        <translation>시작 {time} 전</translation>
    </message>
    <message>
        <source>{time} exposed</source>
        <translation>{time} 노출</translation>
    </message>
    <message>
        <source>{time} into {step}</source>
        <translation>{step} 시작 후 {time}</translation>
    </message>
    <message>
        <source>{time} less on {topic}</source>
        <translation>{topic} {time} 감소</translation>
    </message>
    <message>
        <source>{time} more on {topic}</source>
        <translation>{topic} {time} 증가</translation>
    </message>
    <message>
        <source>{time} of the run</source>
        <translation>실행 {time} 시점</translation>
    </message>
    <message>
        <source>{title}, running</source>
        <translation>{title}, 실행 중</translation>
    </message>
    <message>
        <source>{title}: {words}</source>
        <translation>{title}: {words}</translation>
    </message>
    <message>
        <source>{total} in one piece</source>
        <translation>{total}, 한 조각</translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches of {size}{over}</source>
        <translation>{total}, {size}씩 마이크로배치 {n}개{over}</translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches: {sizes}{over}</source>
        <translation>{total}, 마이크로배치 {n}개: {sizes}{over}</translation>
    </message>
    <message>
        <source>{unit} since {moment}</source>
        <translation>{unit}, {moment} 기준</translation>
    </message>
    <message>
        <source>{way}, {n} micro-batches: {step} predicted</source>
        <translation>{way}, 마이크로배치 {n}개: {step} 예측</translation>
    </message>
    <message>
        <source>{way}: {step} predicted</source>
        <translation>{way}: {step} 예측</translation>
    </message>
    <message>
        <source>{what}: {first} ({moved}) against {others}</source>
        <translation>{what}: {first} ({moved}) 대 {others}</translation>
    </message>
    <message>
        <source>{who} spends {share} of a step on work for all, the longest part ({part}) to {work}.</source>
        <translation>{who}은(는) 스텝의 {share}을(를) 모두를 위한 작업에 쓰며, 그중 가장 긴 부분({part})은 {work}입니다.</translation>
    </message>
    <message>
        <source>{wide} × {high} mm, as PNG {across} × {down} pixels</source>
        <translation>{wide} × {high} mm, PNG는 {across} × {down} 픽셀</translation>
    </message>
    <message>
        <source>{words}.</source>
        <translation>{words}.</translation>
    </message>
    <message>
        <source>± {time}</source>
        <translation>± {time}</translation>
    </message>
    <message>
        <source>± {time} at the beginning</source>
        <translation>시작할 때 ± {time}</translation>
    </message>
    <message>
        <source>≈ 99.9 ms</source>
        <translation>≈ 99.9 ms</translation>
    </message>
    <message>
        <source>▶  Run</source>
        <translation>▶  실행</translation>
    </message>
    <message>
        <source>▶  Run it again</source>
        <translation>▶  다시 실행</translation>
    </message>
    <message>
        <source>▶  Run {what}</source>
        <translation>▶  {what} 실행</translation>
    </message>
    <message>
        <source>简体中文</source>
        <translation>简体中文</translation>
    </message>
    <message>
        <source>한국어</source>
        <translation>한국어</translation>
    </message>
</context>
</TS>
