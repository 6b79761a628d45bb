<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
<context>
    <name>Bubblescope</name>
    <message>
        <source> (and {n} more: see the Log)</source>
        <translation> （另有 {n} 条：见日志）</translation>
    </message>
    <message>
        <source> (measured {time}, {change})</source>
        <translation> （实测 {time}，{change}）</translation>
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
        <translation> 共 {n} 个副本：{sizes}</translation>
    </message>
    <message>
        <source> pt</source>
        <translation> pt</translation>
    </message>
    <message>
        <source> rows</source>
        <translation> 行</translation>
    </message>
    <message>
        <source> µs</source>
        <translation> µs</translation>
    </message>
    <message>
        <source>--borders {a}: use rising numbers of blocks from 1 on, with commas, such as 3,7</source>
        <translation>--borders {a}：请使用从 1 起递增的块编号，以逗号分隔，例如 3,7</translation>
    </message>
    <message>
        <source>--borders {a}: {b} stages of {c} blocks need {d} numbers from 1 to {e}</source>
        <translation>--borders {a}：{c} 个块的 {b} 个阶段需要 {d} 个 1 至 {e} 的数</translation>
    </message>
    <message>
        <source>--lane-memory {a}: no cut of the model keeps within it; use {b} MB or more, or more lanes</source>
        <translation>--lane-memory {a}：没有任何切分能不超过它；请使用 {b} MB 或更多，或更多通道</translation>
    </message>
    <message>
        <source>--model {a}: build() gave {b}; it must give an nn.Module, a list of blocks, one at least, or a configuration of transformers</source>
        <translation>--model {a}：build() 给出了 {b}；它必须给出 nn.Module、至少含一个块的列表，或 transformers 的配置</translation>
    </message>
    <message>
        <source>1 core a lane</source>
        <translation>每通道 1 核</translation>
    </message>
    <message>
        <source>1 forward : 1 backward-input : 1 backward-weight; no time for transfers. Run once to use measured costs.</source>
        <translation>1 前向 : 1 输入反向 : 1 权重反向；不计传输时间。运行一次即可使用实测开销。</translation>
    </message>
    <message>
        <source>1 hit</source>
        <translation>1 个结果</translation>
    </message>
    <message>
        <source>1 if virtual, else shared evenly</source>
        <translation>虚拟通道为 1，否则平均分摊</translation>
    </message>
    <message>
        <source>1 lane</source>
        <translation>1 个通道</translation>
    </message>
    <message>
        <source>1 measured step</source>
        <translation>1 个实测步</translation>
    </message>
    <message>
        <source>1 row</source>
        <translation>1 行</translation>
    </message>
    <message>
        <source>1 run of this sitting is in no file yet.</source>
        <translation>本次会话中有 1 个运行尚未保存到任何文件。</translation>
    </message>
    <message>
        <source>1 span</source>
        <translation>1 个跨度</translation>
    </message>
    <message>
        <source>1 span is cut</source>
        <translation>1 个跨度被截断</translation>
    </message>
    <message>
        <source>1 step</source>
        <translation>1 步</translation>
    </message>
    <message>
        <source>1 step recorded</source>
        <translation>已录制 1 步</translation>
    </message>
    <message>
        <source>1 task still runs and is not counted.</source>
        <translation>1 个任务仍在运行，未计入。</translation>
    </message>
    <message>
        <source>1F1B</source>
        <translation>1F1B</translation>
    </message>
    <message>
        <source>1F1B with several stages on each lane.</source>
        <translation>每个通道有多个阶段的 1F1B。</translation>
    </message>
    <message>
        <source>1F1B with the weight gradients computed later.</source>
        <translation>权重梯度推迟计算的 1F1B。</translation>
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
        <translation>3、2-4 或 10ms:40ms</translation>
    </message>
    <message>
        <source>5, or an epoch</source>
        <translation>5，或一个 epoch</translation>
    </message>
    <message>
        <source>99 % of the whole spans are no longer than this.</source>
        <translation>99 % 的完整跨度不长于此值。</translation>
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
        <translation>A 和 B 分别用时 {a} 和 {b}：差异在各自步时的波动之内。</translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}.</source>
        <translation>A 与 B 用时相同，分别为 {a} 和 {b}。</translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}: {reasons}.</source>
        <translation>A 与 B 用时相同，分别为 {a} 和 {b}：{reasons}。</translation>
    </message>
    <message>
        <source>A collective that every rank has reached moves data.</source>
        <translation>所有 rank 均已到达的集合通信正在传输数据。</translation>
    </message>
    <message>
        <source>A comparison of two runs</source>
        <translation>两次运行的比较</translation>
    </message>
    <message>
        <source>A copy between lanes brings what the lane needs.</source>
        <translation>通道间的拷贝会带来该通道所需的数据。</translation>
    </message>
    <message>
        <source>A copy or communication lane has nothing to carry: no loss in itself.</source>
        <translation>拷贝或通信通道没有数据要传：这本身不是损失。</translation>
    </message>
    <message>
        <source>A kind of task that takes longer by a factor everywhere, such as backward:1.2; repeatable.</source>
        <translation>某类任务在各处的用时都乘以一个系数，例如 backward:1.2；可重复。</translation>
    </message>
    <message>
        <source>A lane that computes longer by a factor, such as 2:1.5; repeatable.</source>
        <translation>某通道的计算用时乘以一个系数，例如 2:1.5；可重复。</translation>
    </message>
    <message>
        <source>A lane&apos;s first pass in one measured step (the first is 1) takes so much longer, such as lane=2,step=4,ms=50; repeatable.</source>
        <translation>某通道在某个实测步（第一个为 1）中的第一趟多用这么长时间，例如 lane=2,step=4,ms=50；可重复。</translation>
    </message>
    <message>
        <source>A lesson goes through a few steps that really run.</source>
        <translation>课程由几个真正运行的步骤组成。</translation>
    </message>
    <message>
        <source>A line above the picture.</source>
        <translation>图上方的一行文字。</translation>
    </message>
    <message>
        <source>A pipeline in each replica, gradients all-reduced.</source>
        <translation>每个副本内一条流水线，梯度做 all-reduce。</translation>
    </message>
    <message>
        <source>A process for each lane, overlapped all-reduce.</source>
        <translation>每个通道一个进程，all-reduce 与计算重叠。</translation>
    </message>
    <message>
        <source>A process for each lane, which holds a part of every parameter.</source>
        <translation>每个通道一个进程，各持有每个参数的一部分。</translation>
    </message>
    <message>
        <source>A replica with more rows computes; on a lane without work, any lane computes. All of the wait counts, also what equal rows would not have spared.</source>
        <translation>行数较多的副本在计算；若通道没有工作，则是任一通道在计算。等待时间全部计入，包括行数相等也无法省去的部分。</translation>
    </message>
    <message>
        <source>A run is under way.</source>
        <translation>有运行正在进行。</translation>
    </message>
    <message>
        <source>A run is under way; the sweep can begin when it is over.</source>
        <translation>有运行正在进行；待其结束后即可开始扫描。</translation>
    </message>
    <message>
        <source>A small GPT over bytes.</source>
        <translation>基于字节的小型 GPT。</translation>
    </message>
    <message>
        <source>A span far longer than those of its kind and part of the model on its lane.</source>
        <translation>远长于其通道上同类型、同模型部分的其他跨度的跨度。</translation>
    </message>
    <message>
        <source>A word alone is looked for in labels (F3, 2F1), kinds and names.</source>
        <translation>单独一个词会在标签（F3、2F1）、类型和名称中查找。</translation>
    </message>
    <message>
        <source>A, {steps}</source>
        <translation>A，{steps}</translation>
    </message>
    <message>
        <source>About {time} left.</source>
        <translation>大约还剩 {time}。</translation>
    </message>
    <message>
        <source>Activations</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>Adds</source>
        <translation>增加</translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation>高级</translation>
    </message>
    <message>
        <source>Advisor</source>
        <translation>顾问</translation>
    </message>
    <message>
        <source>After the lane&apos;s last pass, other stages still compute.</source>
        <translation>该通道的最后一趟之后，其他阶段仍在计算。</translation>
    </message>
    <message>
        <source>Align</source>
        <translation>对齐</translation>
    </message>
    <message>
        <source>Align here</source>
        <translation>在此对齐</translation>
    </message>
    <message>
        <source>All computing, divided evenly over the lanes: the best that they can do.</source>
        <translation>全部计算平均分到各通道：所能达到的最佳情况。</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>所有文件 (*)</translation>
    </message>
    <message>
        <source>All forwards, then all backwards.</source>
        <translation>先做全部前向，再做全部反向。</translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation>所有类型</translation>
    </message>
    <message>
        <source>All levels</source>
        <translation>所有级别</translation>
    </message>
    <message>
        <source>All the rest: tasks that began late because of launch, Python or the system.</source>
        <translation>其余全部：因启动、Python 或系统而开始得晚的任务。</translation>
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
        <translation>任意通道</translation>
    </message>
    <message>
        <source>Arrows</source>
        <translation>箭头</translation>
    </message>
    <message>
        <source>As shown in the window</source>
        <translation>与窗口所示相同</translation>
    </message>
    <message>
        <source>As the figure has it</source>
        <translation>与图中相同</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>跟随系统</translation>
    </message>
    <message>
        <source>Attention heads; they must divide the width.</source>
        <translation>注意力头数；必须能整除宽度。</translation>
    </message>
    <message>
        <source>Axis</source>
        <translation>轴</translation>
    </message>
    <message>
        <source>B</source>
        <translation>B</translation>
    </message>
    <message>
        <source>B is {by} ({share}) longer: {reasons}{settings}.</source>
        <translation>B 长了 {by}（{share}）：{reasons}{settings}。</translation>
    </message>
    <message>
        <source>B is {by} ({share}) shorter: {reasons}{settings}.</source>
        <translation>B 短了 {by}（{share}）：{reasons}{settings}。</translation>
    </message>
    <message>
        <source>B − A</source>
        <translation>B − A</translation>
    </message>
    <message>
        <source>B, {steps}</source>
        <translation>B，{steps}</translation>
    </message>
    <message>
        <source>BUBBLE</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>Back</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Back to the last view</source>
        <translation>回到上一视图</translation>
    </message>
    <message>
        <source>Backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>Backward-input</source>
        <translation>输入反向</translation>
    </message>
    <message>
        <source>Backward-weight</source>
        <translation>权重反向</translation>
    </message>
    <message>
        <source>Batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>Batch split</source>
        <translation>批次划分</translation>
    </message>
    <message>
        <source>Because</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Before the lane&apos;s first pass, an earlier stage computes what that pass needs.</source>
        <translation>该通道的第一趟之前，较早的阶段正在计算这一趟所需的数据。</translation>
    </message>
    <message>
        <source>Beside</source>
        <translation>对照</translation>
    </message>
    <message>
        <source>Between the lane&apos;s passes, another lane computes what the next one needs.</source>
        <translation>该通道的各趟之间，另一通道正在计算下一趟所需的数据。</translation>
    </message>
    <message>
        <source>Block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>Bring {panel} to the front; again: hide it.</source>
        <translation>将{panel}置于最前；再次操作则将其隐藏。</translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>Bubble before</source>
        <translation>之前的气泡</translation>
    </message>
    <message>
        <source>Bubble by lane span</source>
        <translation>气泡（按通道跨度）</translation>
    </message>
    <message>
        <source>Bubble by makespan</source>
        <translation>气泡（按总时长）</translation>
    </message>
    <message>
        <source>Bubble by the formula</source>
        <translation>气泡（按公式）</translation>
    </message>
    <message>
        <source>Bubble by the longest lane</source>
        <translation>气泡（按最长通道）</translation>
    </message>
    <message>
        <source>Bubble {bubble} with equal passes</source>
        <translation>各趟等长时气泡为 {bubble}</translation>
    </message>
    <message>
        <source>Bubble {n} of {count} by length: {length} on {lane}.</source>
        <translation>按长度第 {n} 个气泡，共 {count} 个：{length}，位于 {lane}。</translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation>桶</translation>
    </message>
    <message>
        <source>Busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>By what share every task&apos;s time varies at random, by the seed.</source>
        <translation>每个任务的用时按种子随机变化的幅度。</translation>
    </message>
    <message>
        <source>Bytes of text in every row.</source>
        <translation>每行文本的字节数。</translation>
    </message>
    <message>
        <source>COMPUTE LANES: WORK, AND IDLE FOR</source>
        <translation>计算通道：工作，以及空闲原因</translation>
    </message>
    <message>
        <source>COPY AND COMMUNICATION LANES</source>
        <translation>拷贝与通信通道</translation>
    </message>
    <message>
        <source>CPU cores that each lane computes with.</source>
        <translation>每个通道计算所用的 CPU 核数。</translation>
    </message>
    <message>
        <source>CRITICAL PATH</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>CRITICAL PATH · first {most} of {n} pieces</source>
        <translation>关键路径 · 共 {n} 段，前 {most} 段</translation>
    </message>
    <message>
        <source>CRITICAL PATH · {n} pieces</source>
        <translation>关键路径 · {n} 段</translation>
    </message>
    <message>
        <source>CSV</source>
        <translation>CSV</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>取消</translation>
    </message>
    <message>
        <source>Cancelled. {costs}</source>
        <translation>已取消。{costs}</translation>
    </message>
    <message>
        <source>Caption</source>
        <translation>图题</translation>
    </message>
    <message>
        <source>Causes of {explained} of {steps} steps.</source>
        <translation>已解释 {explained}/{steps} 步的原因。</translation>
    </message>
    <message>
        <source>Change</source>
        <translation>变化</translation>
    </message>
    <message>
        <source>Change between light and dark colours.</source>
        <translation>在浅色与深色之间切换。</translation>
    </message>
    <message>
        <source>Chart of the steps</source>
        <translation>各步图表</translation>
    </message>
    <message>
        <source>Chimera</source>
        <translation>Chimera</translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation>选择文件</translation>
    </message>
    <message>
        <source>Choose a link speed first.</source>
        <translation>请先选择链路速度。</translation>
    </message>
    <message>
        <source>Choose a strategy on the left and press Run (F5).</source>
        <translation>在左侧选择策略，然后按“运行”(F5)。</translation>
    </message>
    <message>
        <source>Choose how much slower it is first.</source>
        <translation>请先选择慢多少。</translation>
    </message>
    <message>
        <source>Choose one in Help &gt; Lessons, or on the first page.</source>
        <translation>在“帮助”&gt;“课程”或首页中选择一课。</translation>
    </message>
    <message>
        <source>Choose the colour of {family}</source>
        <translation>选择 {family} 的颜色</translation>
    </message>
    <message>
        <source>Choose the colours of forward, backward and the others.</source>
        <translation>选择前向、反向及其他类别的颜色。</translation>
    </message>
    <message>
        <source>Choose the lane above.</source>
        <translation>选中上方的通道。</translation>
    </message>
    <message>
        <source>Choose the lane below; what follows acts on it.</source>
        <translation>选中下方的通道；随后的操作都针对它。</translation>
    </message>
    <message>
        <source>Choose the lane.</source>
        <translation>选中该通道。</translation>
    </message>
    <message>
        <source>Chosen for the figure</source>
        <translation>为此图选定</translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation>分块</translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation>清空列表</translation>
    </message>
    <message>
        <source>Clear the selection; with nothing selected, leave the comparison.</source>
        <translation>清除选择；若没有选择，则退出比较。</translation>
    </message>
    <message>
        <source>Click</source>
        <translation>单击</translation>
    </message>
    <message>
        <source>Click for the longest of them.</source>
        <translation>单击可转到其中最长的。</translation>
    </message>
    <message>
        <source>Click on a flag</source>
        <translation>单击旗标</translation>
    </message>
    <message>
        <source>Click on a group&apos;s heading</source>
        <translation>单击分组标题</translation>
    </message>
    <message>
        <source>Click on a lane&apos;s name</source>
        <translation>单击通道名称</translation>
    </message>
    <message>
        <source>Click to see why.</source>
        <translation>单击查看原因。</translation>
    </message>
    <message>
        <source>Clock known to</source>
        <translation>时钟精度</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>关闭</translation>
    </message>
    <message>
        <source>Close Bubblescope</source>
        <translation>关闭 Bubblescope</translation>
    </message>
    <message>
        <source>Close tab</source>
        <translation>关闭标签页</translation>
    </message>
    <message>
        <source>Close the message</source>
        <translation>关闭消息</translation>
    </message>
    <message>
        <source>Close the run that is shown; it goes on, and stays in the Runs panel.</source>
        <translation>关闭所示的运行；它会继续进行，并留在“运行”面板中。</translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation>关闭搜索 (Esc)</translation>
    </message>
    <message>
        <source>Close this message.</source>
        <translation>关闭此消息。</translation>
    </message>
    <message>
        <source>Close this tab; the run stays in the Runs panel. (Ctrl+W)</source>
        <translation>关闭此标签页；运行会留在“运行”面板中。(Ctrl+W)</translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation>不保存并关闭</translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation>关闭 {title}</translation>
    </message>
    <message>
        <source>Closed form</source>
        <translation>闭式公式</translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>Collectives beside the gradients that they wait for</source>
        <translation>集合通信与其等待的梯度并列</translation>
    </message>
    <message>
        <source>Collectives that every rank has reached.</source>
        <translation>所有 rank 均已到达的集合通信。</translation>
    </message>
    <message>
        <source>Colour bars by how long they took.</source>
        <translation>按用时为条块着色。</translation>
    </message>
    <message>
        <source>Colour bars by their micro-batch.</source>
        <translation>按微批次为条块着色。</translation>
    </message>
    <message>
        <source>Colour bars by their stage.</source>
        <translation>按阶段为条块着色。</translation>
    </message>
    <message>
        <source>Colour bars by what they do: forward, backward, communication…</source>
        <translation>按作用为条块着色：前向、反向、通信…</translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation>着色依据</translation>
    </message>
    <message>
        <source>Colour of {family}, as #rrggbb</source>
        <translation>{family} 的颜色，格式为 #rrggbb</translation>
    </message>
    <message>
        <source>Colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>Colours and patterns</source>
        <translation>颜色和图案</translation>
    </message>
    <message>
        <source>Colours only, as in the window.</source>
        <translation>仅颜色，与窗口中相同。</translation>
    </message>
    <message>
        <source>Colours…</source>
        <translation>颜色…</translation>
    </message>
    <message>
        <source>Command</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Commands</source>
        <translation>命令</translation>
    </message>
    <message>
        <source>Communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>Compare</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compare DP with DDP</source>
        <translation>比较 DP 与 DDP</translation>
    </message>
    <message>
        <source>Compare every loss and gradient with the plain whole-batch step.</source>
        <translation>将每个损失和梯度与普通的整批次步比较。</translation>
    </message>
    <message>
        <source>Compare with…</source>
        <translation>比较对象…</translation>
    </message>
    <message>
        <source>Compare {run} with:</source>
        <translation>将 {run} 与以下比较：</translation>
    </message>
    <message>
        <source>Comparing two large steps…</source>
        <translation>正在比较两个大的步…</translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation>比较</translation>
    </message>
    <message>
        <source>Compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>Copied as an image and as SVG.</source>
        <translation>已拷贝为图像和 SVG。</translation>
    </message>
    <message>
        <source>Copied the statistics as CSV.</source>
        <translation>已将统计拷贝为 CSV。</translation>
    </message>
    <message>
        <source>Copied the statistics as Markdown.</source>
        <translation>已将统计拷贝为 Markdown。</translation>
    </message>
    <message>
        <source>Copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>Copy and communication lanes</source>
        <translation>拷贝与通信通道</translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation>拷贝为</translation>
    </message>
    <message>
        <source>Copy as plain numbers for a spreadsheet.</source>
        <translation>拷贝为纯数字，供电子表格使用。</translation>
    </message>
    <message>
        <source>Copy exactly what is visible, as an image and as SVG.</source>
        <translation>将当前可见内容原样拷贝为图像和 SVG。</translation>
    </message>
    <message>
        <source>Copy statistics as CSV</source>
        <translation>将统计拷贝为 CSV</translation>
    </message>
    <message>
        <source>Copy statistics as Markdown</source>
        <translation>将统计拷贝为 Markdown</translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as plain numbers.</source>
        <translation>将所选范围的数据拷贝为纯数字。</translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as tables.</source>
        <translation>将所选范围的数据拷贝为表格。</translation>
    </message>
    <message>
        <source>Copy the tables as text.</source>
        <translation>将表格拷贝为文本。</translation>
    </message>
    <message>
        <source>Copy visible range</source>
        <translation>拷贝可见范围</translation>
    </message>
    <message>
        <source>Cores per lane</source>
        <translation>每通道核数</translation>
    </message>
    <message>
        <source>Costs</source>
        <translation>开销</translation>
    </message>
    <message>
        <source>Costs (*.json *.toml)</source>
        <translation>开销 (*.json *.toml)</translation>
    </message>
    <message>
        <source>Costs (*.json)</source>
        <translation>开销 (*.json)</translation>
    </message>
    <message>
        <source>Costs {source}; {steps}.</source>
        <translation>开销：{source}；{steps}。</translation>
    </message>
    <message>
        <source>Count</source>
        <translation>数量</translation>
    </message>
    <message>
        <source>Count time from the run&apos;s start.</source>
        <translation>从运行开始处计时。</translation>
    </message>
    <message>
        <source>Count time from the start of the step on screen.</source>
        <translation>从画面中这一步的开始处计时。</translation>
    </message>
    <message>
        <source>Counting was cancelled. Select a range to count it.</source>
        <translation>统计已取消。请选择一个范围进行统计。</translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation>正在统计…</translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>Ctrl + wheel</source>
        <translation>Ctrl + 滚轮</translation>
    </message>
    <message>
        <source>DDP on 8 virtual ranks</source>
        <translation>8 个虚拟 rank 上的 DDP</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation>深色</translation>
    </message>
    <message>
        <source>Data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation>数据并行</translation>
    </message>
    <message>
        <source>Data parallel on 8 virtual lanes</source>
        <translation>8 个虚拟通道上的数据并行</translation>
    </message>
    <message>
        <source>Delete</source>
        <translation>删除</translation>
    </message>
    <message>
        <source>Delete mark</source>
        <translation>删除标记</translation>
    </message>
    <message>
        <source>Delete the mark that one is at.</source>
        <translation>删除当前所在的标记。</translation>
    </message>
    <message>
        <source>Deleted a mark; Ctrl+Z brings it back.</source>
        <translation>已删除一个标记；按 Ctrl+Z 可恢复。</translation>
    </message>
    <message>
        <source>Depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>Details</source>
        <translation>详情</translation>
    </message>
    <message>
        <source>Details of the selection</source>
        <translation>所选内容的详情</translation>
    </message>
    <message>
        <source>Device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>Devices of a node</source>
        <translation>节点的设备数</translation>
    </message>
    <message>
        <source>Devices of a node, where their names do not tell the host:</source>
        <translation>节点的设备数（设备名称未表明主机时）：</translation>
    </message>
    <message>
        <source>Devices of a node…</source>
        <translation>节点的设备数…</translation>
    </message>
    <message>
        <source>Difference</source>
        <translation>差异</translation>
    </message>
    <message>
        <source>Differences between run A and run B</source>
        <translation>运行 A 与运行 B 的差异</translation>
    </message>
    <message>
        <source>Distributed data parallel</source>
        <translation>分布式数据并行</translation>
    </message>
    <message>
        <source>Do not measure what tasks cost before the first measured step.</source>
        <translation>在第一个实测步之前不测量任务的开销。</translation>
    </message>
    <message>
        <source>Do not open this recording; nothing is left behind.</source>
        <translation>不打开此录制文件；不会留下任何内容。</translation>
    </message>
    <message>
        <source>Double-click</source>
        <translation>双击</translation>
    </message>
    <message>
        <source>Double-click or press Enter to run this.</source>
        <translation>双击或按 Enter 键运行。</translation>
    </message>
    <message>
        <source>Drag</source>
        <translation>拖动</translation>
    </message>
    <message>
        <source>Drag from the axis</source>
        <translation>从轴开始拖动</translation>
    </message>
    <message>
        <source>Drag of a lane&apos;s name</source>
        <translation>拖动通道名称</translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range first.</source>
        <translation>请先在通道上拖动以选择一个范围。</translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range: busy, communication and idle time of the lanes that you drag over stand here, and the durations of their spans. Drag along the axis for all lanes.</source>
        <translation>在通道上拖动以选择范围：此处会显示所拖过通道的忙碌、通信和空闲时间，以及其跨度的用时。沿轴拖动则选择所有通道。</translation>
    </message>
    <message>
        <source>Draw an arrow for each dependency between lanes on screen.</source>
        <translation>为画面中通道之间的每个依赖绘制一个箭头。</translation>
    </message>
    <message>
        <source>Draw both compared steps equally long; again: in true time.</source>
        <translation>将所比较的两步画成等长；再按一次：按真实时间。</translation>
    </message>
    <message>
        <source>DualPipeV</source>
        <translation>DualPipeV</translation>
    </message>
    <message>
        <source>Duration</source>
        <translation>用时</translation>
    </message>
    <message>
        <source>Durations of whole spans</source>
        <translation>完整跨度的用时</translation>
    </message>
    <message>
        <source>Durations: &gt;5ms &lt;=10us. Either of two: stage:0|2. Not: -kind:copy.</source>
        <translation>用时：&gt;5ms &lt;=10us。二者之一：stage:0|2。排除：-kind:copy。</translation>
    </message>
    <message>
        <source>EACH COMPUTE LANE</source>
        <translation>每个计算通道</translation>
    </message>
    <message>
        <source>Each task is then measured alone, so nothing is shared: the strategy itself.</source>
        <translation>这样每个任务都单独测量，不共享任何资源：看到的就是策略本身。</translation>
    </message>
    <message>
        <source>Each value that you try becomes a point here, as soon as it has been run. Click a point to open its run.</source>
        <translation>您尝试的每个值一经运行，就会成为这里的一个点。单击某个点可打开其运行。</translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation>较早</translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation>编辑备注</translation>
    </message>
    <message>
        <source>End comparison</source>
        <translation>结束比较</translation>
    </message>
    <message>
        <source>End the engine and close the window.</source>
        <translation>结束引擎并关闭窗口。</translation>
    </message>
    <message>
        <source>End to end</source>
        <translation>终点到终点</translation>
    </message>
    <message>
        <source>End to start</source>
        <translation>终点到起点</translation>
    </message>
    <message>
        <source>English</source>
        <translation>English</translation>
    </message>
    <message>
        <source>Equal</source>
        <translation>相等</translation>
    </message>
    <message>
        <source>Equal lengths</source>
        <translation>等长</translation>
    </message>
    <message>
        <source>Esc in the field above the names shows all lanes.</source>
        <translation>在名称上方的输入框中按 Esc 可显示所有通道。</translation>
    </message>
    <message>
        <source>Every lane gets a row: what it computes, what it moves, and why it waits.</source>
        <translation>每个通道一行：它计算什么、搬运什么、为何等待。</translation>
    </message>
    <message>
        <source>Every lane has a slice of each layer.</source>
        <translation>每个通道持有每一层的一个切片。</translation>
    </message>
    <message>
        <source>Everything was ready, but the work was late: launch, Python, contention.</source>
        <translation>一切就绪，但工作开始得晚：启动、Python、资源争用。</translation>
    </message>
    <message>
        <source>Exactly the time on screen.</source>
        <translation>恰为屏幕上的时间。</translation>
    </message>
    <message>
        <source>Explain it</source>
        <translation>解释</translation>
    </message>
    <message>
        <source>Explain this trace by steps: each mark begins one, which lasts until the next mark, and the last one until its mark ends.</source>
        <translation>按步解释此追踪：每个标记开始一步，持续到下一个标记；最后一步持续到其标记结束。</translation>
    </message>
    <message>
        <source>Explaining…</source>
        <translation>正在解释…</translation>
    </message>
    <message>
        <source>Export</source>
        <translation>导出</translation>
    </message>
    <message>
        <source>Export comparison</source>
        <translation>导出比较</translation>
    </message>
    <message>
        <source>Export comparison…</source>
        <translation>导出比较…</translation>
    </message>
    <message>
        <source>Export figure</source>
        <translation>导出图</translation>
    </message>
    <message>
        <source>Export figure…</source>
        <translation>导出图…</translation>
    </message>
    <message>
        <source>Export report</source>
        <translation>导出报告</translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation>导出报告…</translation>
    </message>
    <message>
        <source>Export spans as CSV…</source>
        <translation>将跨度导出为 CSV…</translation>
    </message>
    <message>
        <source>Export visible range…</source>
        <translation>导出可见范围…</translation>
    </message>
    <message>
        <source>Exported {name}.</source>
        <translation>已导出 {name}。</translation>
    </message>
    <message>
        <source>FROM IDEAL TO MEASURED · ms</source>
        <translation>从理想到实测 · ms</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time} in one run.</source>
        <translation>最快：{setting}，单次运行 {time}。</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}.</source>
        <translation>最快：{setting}，{time}。</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {count} others.</source>
        <translation>最快：{setting}，{time}；与另外 {count} 个没有确定的差异。</translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {others}.</source>
        <translation>最快：{setting}，{time}；与 {others} 没有确定的差异。</translation>
    </message>
    <message>
        <source>Faults</source>
        <translation>故障</translation>
    </message>
    <message>
        <source>Faults are put into virtual lanes alone, such as 8xvirtual.</source>
        <translation>故障只能加入虚拟通道，例如 8xvirtual。</translation>
    </message>
    <message>
        <source>Features in every layer.</source>
        <translation>每一层的特征数。</translation>
    </message>
    <message>
        <source>Figure</source>
        <translation>图</translation>
    </message>
    <message>
        <source>Figures are of</source>
        <translation>数字取自</translation>
    </message>
    <message>
        <source>File</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>Files stay as they are.</source>
        <translation>文件保持不变。</translation>
    </message>
    <message>
        <source>Filter lanes</source>
        <translation>筛选通道</translation>
    </message>
    <message>
        <source>Filter lanes by name</source>
        <translation>按名称筛选通道</translation>
    </message>
    <message>
        <source>Filter lanes…</source>
        <translation>筛选通道…</translation>
    </message>
    <message>
        <source>Find a command…</source>
        <translation>查找命令…</translation>
    </message>
    <message>
        <source>Find anything that can be done by a few letters.</source>
        <translation>输入几个字母即可查找任何可执行的操作。</translation>
    </message>
    <message>
        <source>Find spans by kind, micro-batch, stage, lane, step, name or duration.</source>
        <translation>按类型、微批次、阶段、通道、步、名称或用时查找跨度。</translation>
    </message>
    <message>
        <source>Find the longest bubble</source>
        <translation>查找最长气泡</translation>
    </message>
    <message>
        <source>First page</source>
        <translation>首页</translation>
    </message>
    <message>
        <source>Fit</source>
        <translation>适应</translation>
    </message>
    <message>
        <source>Fit a span or an idle gap.</source>
        <translation>使跨度或空闲间隙适应视图。</translation>
    </message>
    <message>
        <source>Fit the selection; again, or without one, everything, the lanes&apos; height too.</source>
        <translation>使所选内容适应视图；再按一次，或没有选择时，适应全部内容，包括通道高度。</translation>
    </message>
    <message>
        <source>Fold all groups</source>
        <translation>折叠所有分组</translation>
    </message>
    <message>
        <source>Fold or open the group</source>
        <translation>折叠或展开分组</translation>
    </message>
    <message>
        <source>Fold the chosen lane&apos;s group into one row, or open it.</source>
        <translation>将所选通道的分组折叠成一行，或展开。</translation>
    </message>
    <message>
        <source>Fold the group, or open it.</source>
        <translation>折叠或展开该分组。</translation>
    </message>
    <message>
        <source>Follow</source>
        <translation>跟随</translation>
    </message>
    <message>
        <source>For</source>
        <translation>用于</translation>
    </message>
    <message>
        <source>Forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>Forward again</source>
        <translation>再次前进</translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation>前向和反向</translation>
    </message>
    <message>
        <source>Forward {forward} and backward {backward}</source>
        <translation>前向 {forward}，反向 {backward}</translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation>从文件…</translation>
    </message>
    <message>
        <source>From the ideal step to this one</source>
        <translation>从理想步到此步</translation>
    </message>
    <message>
        <source>From {first} to {last}: {length}</source>
        <translation>从 {first} 到 {last}：{length}</translation>
    </message>
    <message>
        <source>From {name}</source>
        <translation>来自 {name}</translation>
    </message>
    <message>
        <source>From {name}.</source>
        <translation>来自 {name}。</translation>
    </message>
    <message>
        <source>From, to</source>
        <translation>起点、终点</translation>
    </message>
    <message>
        <source>Fully sharded data parallel</source>
        <translation>完全分片数据并行</translation>
    </message>
    <message>
        <source>GB each second between two devices, in place of the costs&apos;.</source>
        <translation>两个设备间每秒的 GB 数，代替开销中的值。</translation>
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
        <translation>收集</translation>
    </message>
    <message>
        <source>Go</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Go back to the bubble that was longer.</source>
        <translation>回到上一个更长的气泡。</translation>
    </message>
    <message>
        <source>Go back to the step before.</source>
        <translation>回到上一步骤。</translation>
    </message>
    <message>
        <source>Go on to what comes next.</source>
        <translation>继续下一步骤。</translation>
    </message>
    <message>
        <source>Go to</source>
        <translation>转到</translation>
    </message>
    <message>
        <source>Go to the mark before.</source>
        <translation>转到上一个标记。</translation>
    </message>
    <message>
        <source>Go to the next mark.</source>
        <translation>转到下一个标记。</translation>
    </message>
    <message>
        <source>Go to the present and stay with it, at this zoom.</source>
        <translation>转到当前时刻并保持跟随，缩放不变。</translation>
    </message>
    <message>
        <source>Go to the view that you came back from.</source>
        <translation>转到返回之前的视图。</translation>
    </message>
    <message>
        <source>Gradient error, largest</source>
        <translation>最大梯度误差</translation>
    </message>
    <message>
        <source>Gradients are all-reduced bucket by bucket while the backward pass still runs.</source>
        <translation>反向仍在进行时，梯度逐桶做 all-reduce。</translation>
    </message>
    <message>
        <source>Greyscale</source>
        <translation>灰度</translation>
    </message>
    <message>
        <source>Group by the next one</source>
        <translation>改用下一种分组</translation>
    </message>
    <message>
        <source>Group lanes by</source>
        <translation>通道分组依据</translation>
    </message>
    <message>
        <source>Group the lanes by the next of these.</source>
        <translation>改用下一种依据对通道分组。</translation>
    </message>
    <message>
        <source>HTML report (*.html)</source>
        <translation>HTML 报告 (*.html)</translation>
    </message>
    <message>
        <source>Half of the whole spans are no longer than this.</source>
        <translation>一半的完整跨度不长于此值。</translation>
    </message>
    <message>
        <source>Hardware and versions</source>
        <translation>硬件与版本</translation>
    </message>
    <message>
        <source>Heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>Held up by</source>
        <translation>受阻于</translation>
    </message>
    <message>
        <source>Help</source>
        <translation>帮助</translation>
    </message>
    <message>
        <source>Hiccup</source>
        <translation>卡顿</translation>
    </message>
    <message>
        <source>Higher lanes</source>
        <translation>增高通道</translation>
    </message>
    <message>
        <source>Histogram of durations</source>
        <translation>用时直方图</translation>
    </message>
    <message>
        <source>How each lane spends its time and memory appears here with the first step.</source>
        <translation>第一步完成后，此处会显示每个通道如何使用时间和内存。</translation>
    </message>
    <message>
        <source>How far the optimizer goes in every step.</source>
        <translation>优化器每一步走多远。</translation>
    </message>
    <message>
        <source>How fast the clock of virtual lanes runs at most, beside a real one: 0.1 to watch.</source>
        <translation>虚拟通道的时钟相对真实时钟的最快速度：设为 0.1 便于观看。</translation>
    </message>
    <message>
        <source>How long each step is.</source>
        <translation>每一步有多长。</translation>
    </message>
    <message>
        <source>How long every step takes appears here with the first whole step.</source>
        <translation>第一个完整步之后，此处会显示每一步的用时。</translation>
    </message>
    <message>
        <source>How many micro-batches, where the strategy makes some.</source>
        <translation>微批次的数量（若该策略会划分微批次）。</translation>
    </message>
    <message>
        <source>How many times as long the slow lane computes.</source>
        <translation>慢通道的计算用时是正常的多少倍。</translation>
    </message>
    <message>
        <source>How much of the steps each lane is idle.</source>
        <translation>每个通道在各步中空闲了多少。</translation>
    </message>
    <message>
        <source>How often each value is run.</source>
        <translation>每个值运行的次数。</translation>
    </message>
    <message>
        <source>How the work is divided among the lanes.</source>
        <translation>工作如何划分到各通道。</translation>
    </message>
    <message>
        <source>IDLE BY CAUSE · share of all lanes&apos; time</source>
        <translation>按原因的空闲 · 占所有通道时间的比例</translation>
    </message>
    <message>
        <source>Idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>Idle part of the longest lane&apos;s own span.</source>
        <translation>最长通道自身跨度中的空闲部分。</translation>
    </message>
    <message>
        <source>Idle share</source>
        <translation>空闲占比</translation>
    </message>
    <message>
        <source>Idle time</source>
        <translation>空闲时间</translation>
    </message>
    <message>
        <source>Idle time as a share of the range.</source>
        <translation>空闲时间占该范围的比例。</translation>
    </message>
    <message>
        <source>Idle time by cause</source>
        <translation>按原因的空闲时间</translation>
    </message>
    <message>
        <source>Idle time in steps whose causes were not worked out.</source>
        <translation>未分析原因的步中的空闲时间。</translation>
    </message>
    <message>
        <source>Idle time of all lanes over lanes times makespan.</source>
        <translation>所有通道的空闲时间除以（通道数乘以总时长）。</translation>
    </message>
    <message>
        <source>Idle time of each lane by cause</source>
        <translation>各通道按原因的空闲时间</translation>
    </message>
    <message>
        <source>Idle time of the compute lanes over lanes times makespan.</source>
        <translation>计算通道的空闲时间除以（通道数乘以总时长）。</translation>
    </message>
    <message>
        <source>Idle time of the lane that works longest, within its first start and last end.</source>
        <translation>工作最久的通道从最早开始到最后结束之间的空闲时间。</translation>
    </message>
    <message>
        <source>Image size</source>
        <translation>图像大小</translation>
    </message>
    <message>
        <source>In per cent of A</source>
        <translation>占 A 的百分比</translation>
    </message>
    <message>
        <source>In range</source>
        <translation>范围内</translation>
    </message>
    <message>
        <source>In short</source>
        <translation>概要</translation>
    </message>
    <message>
        <source>In step {step} lane {lane} took {taken} for {task} instead of {usual}: that cost {loss} ({share}) of this step.</source>
        <translation>在第 {step} 步，通道 {lane} 执行 {task} 用了 {taken}，通常为 {usual}：损失此步的 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>In which order every stage works through the micro-batches.</source>
        <translation>每个阶段处理各微批次的顺序。</translation>
    </message>
    <message>
        <source>Interleaved 1F1B</source>
        <translation>交错式 1F1B</translation>
    </message>
    <message>
        <source>Interleaved 1F1B with the weight gradients computed later.</source>
        <translation>权重梯度推迟计算的交错式 1F1B。</translation>
    </message>
    <message>
        <source>Interleaved zero bubble</source>
        <translation>交错式零气泡</translation>
    </message>
    <message>
        <source>Into how many consecutive parts the model is cut.</source>
        <translation>将模型切成多少个连续部分。</translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut, as even as can be.</source>
        <translation>将批次尽可能均匀地切成多少份。</translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut.</source>
        <translation>将批次切成多少份。</translation>
    </message>
    <message>
        <source>It began {time} earlier than predicted.</source>
        <translation>开始时间比预测早 {time}。</translation>
    </message>
    <message>
        <source>It began {time} later than predicted.</source>
        <translation>开始时间比预测晚 {time}。</translation>
    </message>
    <message>
        <source>It belongs to no step.</source>
        <translation>它不属于任何一步。</translation>
    </message>
    <message>
        <source>It has nothing more to do in this step.</source>
        <translation>在此步中没有更多工作。</translation>
    </message>
    <message>
        <source>Its duration in such medians.</source>
        <translation>其用时相当于该中位数的多少倍。</translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>Join</source>
        <translation>连线</translation>
    </message>
    <message>
        <source>Join all matched tasks on screen by thin lines.</source>
        <translation>用细线连接屏幕上所有匹配的任务。</translation>
    </message>
    <message>
        <source>Join tasks</source>
        <translation>连接任务</translation>
    </message>
    <message>
        <source>KIND:FACTOR</source>
        <translation>类型:系数</translation>
    </message>
    <message>
        <source>Keep the chosen lane at the top, or put it back.</source>
        <translation>将所选通道固定在顶部，或放回原位。</translation>
    </message>
    <message>
        <source>Keep the last step as .npz: input, target, before/NAME, gradient/NAME.</source>
        <translation>将最后一步保存为 .npz：input、target、before/NAME、gradient/NAME。</translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation>按键与鼠标</translation>
    </message>
    <message>
        <source>Kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Kind in the histogram</source>
        <translation>直方图中的类型</translation>
    </message>
    <message>
        <source>Kinds</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Kinds of spans in the range</source>
        <translation>范围内跨度的类型</translation>
    </message>
    <message>
        <source>LANE-LANE:FACTOR</source>
        <translation>通道-通道:系数</translation>
    </message>
    <message>
        <source>LANE:FACTOR</source>
        <translation>通道:系数</translation>
    </message>
    <message>
        <source>LAST RUNS</source>
        <translation>最近的运行</translation>
    </message>
    <message>
        <source>LESSONS</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Ladder from the ideal step to the measured one</source>
        <translation>从理想步到实测步的阶梯图</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Lane 0 also scatters, gathers and reduces; the others wait for it.</source>
        <translation>通道 0 还要负责分发、收集和归约；其他通道等待它。</translation>
    </message>
    <message>
        <source>Lane {lane} computes for {most}, a lane on average for {mean}: that costs {loss} ({share}).</source>
        <translation>通道 {lane} 计算 {most}，通道平均为 {mean}：损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Lane {lane} computes {factor} times as long as other lanes for the same: that costs {loss} ({share}).</source>
        <translation>同样的工作，通道 {lane} 的计算用时是其他通道的 {factor} 倍：损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>Lanes idle {idle}.</source>
        <translation>通道空闲 {idle}。</translation>
    </message>
    <message>
        <source>Lanes idle {idle}: mostly {reason} ({share}).</source>
        <translation>通道空闲 {idle}：主要是{reason}（{share}）。</translation>
    </message>
    <message>
        <source>Lanes in the range</source>
        <translation>范围内的通道</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>语言</translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation>从大到小</translation>
    </message>
    <message>
        <source>Latency</source>
        <translation>延迟</translation>
    </message>
    <message>
        <source>Later</source>
        <translation>较晚</translation>
    </message>
    <message>
        <source>Lay the spans that are selected in both runs over each other; again: the steps&apos; starts.</source>
        <translation>将两次运行中所选的跨度重叠对齐；再按一次：对齐两步的起点。</translation>
    </message>
    <message>
        <source>Layers of the model, each a block that a stage can take.</source>
        <translation>模型的层数，每层是一个阶段可承担的块。</translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>Legend</source>
        <translation>图例</translation>
    </message>
    <message>
        <source>Length</source>
        <translation>长度</translation>
    </message>
    <message>
        <source>Lesson</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Lesson {n}: {title}</source>
        <translation>第 {n} 课：{title}</translation>
    </message>
    <message>
        <source>Lessons</source>
        <translation>课程</translation>
    </message>
    <message>
        <source>Let all lanes stand without headings.</source>
        <translation>所有通道不分组显示。</translation>
    </message>
    <message>
        <source>Let the lanes of a device stand together.</source>
        <translation>将同一设备的通道放在一起。</translation>
    </message>
    <message>
        <source>Let the lanes of a host stand together, or of so many devices.</source>
        <translation>将同一主机的通道放在一起，或按指定数目的设备放在一起。</translation>
    </message>
    <message>
        <source>Let the lanes that hold a replica stand together.</source>
        <translation>将持有同一副本的通道放在一起。</translation>
    </message>
    <message>
        <source>Level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>浅色</translation>
    </message>
    <message>
        <source>Linear layers of one width.</source>
        <translation>宽度相同的线性层。</translation>
    </message>
    <message>
        <source>Link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>Link speed</source>
        <translation>链路速度</translation>
    </message>
    <message>
        <source>Load costs</source>
        <translation>加载开销</translation>
    </message>
    <message>
        <source>Load…</source>
        <translation>加载…</translation>
    </message>
    <message>
        <source>Log</source>
        <translation>日志</translation>
    </message>
    <message>
        <source>Longest bubble</source>
        <translation>最长气泡</translation>
    </message>
    <message>
        <source>Longest bubble: {length} on {lane}.</source>
        <translation>最长气泡：{length}，位于 {lane}。</translation>
    </message>
    <message>
        <source>Looking for what limits a step…</source>
        <translation>正在查找限制一步的因素…</translation>
    </message>
    <message>
        <source>Looped BFS</source>
        <translation>Looped BFS</translation>
    </message>
    <message>
        <source>Loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>Loss, first and last</source>
        <translation>最初与最后的损失</translation>
    </message>
    <message>
        <source>Lower lanes</source>
        <translation>降低通道</translation>
    </message>
    <message>
        <source>MLP</source>
        <translation>MLP</translation>
    </message>
    <message>
        <source>Make a figure for a slide or a paper: see it, save it, copy it.</source>
        <translation>制作用于幻灯片或论文的图：查看、保存、拷贝。</translation>
    </message>
    <message>
        <source>Make the lanes higher or lower.</source>
        <translation>增高或降低通道。</translation>
    </message>
    <message>
        <source>Make the lanes higher.</source>
        <translation>增高通道。</translation>
    </message>
    <message>
        <source>Make the lanes lower.</source>
        <translation>降低通道。</translation>
    </message>
    <message>
        <source>Makespan</source>
        <translation>总时长</translation>
    </message>
    <message>
        <source>Mark moment</source>
        <translation>标记时刻</translation>
    </message>
    <message>
        <source>Mark range</source>
        <translation>标记范围</translation>
    </message>
    <message>
        <source>Mark the moment under the pointer, or the start of what is selected, and name it.</source>
        <translation>标记指针所在的时刻或所选内容的起点，并命名。</translation>
    </message>
    <message>
        <source>Mark what is selected from start to end, and name it.</source>
        <translation>标记所选内容从起点到终点的范围，并命名。</translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation>Markdown</translation>
    </message>
    <message>
        <source>Marks</source>
        <translation>标记</translation>
    </message>
    <message>
        <source>Marks of the run</source>
        <translation>该运行的标记</translation>
    </message>
    <message>
        <source>Max</source>
        <translation>最大</translation>
    </message>
    <message>
        <source>Mean</source>
        <translation>平均</translation>
    </message>
    <message>
        <source>Measure from here</source>
        <translation>从此处测量</translation>
    </message>
    <message>
        <source>Measure from the selected span to another.</source>
        <translation>从所选跨度测量到另一个跨度。</translation>
    </message>
    <message>
        <source>Measure from the selected span to those selected next; again: no longer.</source>
        <translation>从所选跨度测量到随后所选的跨度；再按一次：停止测量。</translation>
    </message>
    <message>
        <source>Measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>Measured: {part}</source>
        <translation>实测：{part}</translation>
    </message>
    <message>
        <source>Memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>Message</source>
        <translation>消息</translation>
    </message>
    <message>
        <source>MiB</source>
        <translation>MiB</translation>
    </message>
    <message>
        <source>MiB of a bucket</source>
        <translation>每桶 MiB</translation>
    </message>
    <message>
        <source>MiB of gradients that are reduced together.</source>
        <translation>一起归约的梯度的 MiB 数。</translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>Micro-batches walk down the stages and back; lanes wait while the pipeline fills and drains.</source>
        <translation>微批次沿各阶段向下再返回；流水线填充和排空时通道等待。</translation>
    </message>
    <message>
        <source>Microseconds that every transfer takes at least.</source>
        <translation>每次传输至少需要的微秒数。</translation>
    </message>
    <message>
        <source>Middle drag, Shift + drag</source>
        <translation>中键拖动、Shift + 拖动</translation>
    </message>
    <message>
        <source>Model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>Model parallel</source>
        <translation>模型并行</translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation>鼠标</translation>
    </message>
    <message>
        <source>Move back between form, timeline and panels.</source>
        <translation>在表单、时间线与面板之间反向切换。</translation>
    </message>
    <message>
        <source>Move between form, timeline and panels.</source>
        <translation>在表单、时间线与面板之间切换。</translation>
    </message>
    <message>
        <source>Move the chosen lane down within its group.</source>
        <translation>将所选通道在其分组内下移。</translation>
    </message>
    <message>
        <source>Move the chosen lane up within its group.</source>
        <translation>将所选通道在其分组内上移。</translation>
    </message>
    <message>
        <source>Move the lane down</source>
        <translation>下移通道</translation>
    </message>
    <message>
        <source>Move the lane up</source>
        <translation>上移通道</translation>
    </message>
    <message>
        <source>Move the lane within its group.</source>
        <translation>在分组内移动该通道。</translation>
    </message>
    <message>
        <source>Move to a later time.</source>
        <translation>移到较晚的时间。</translation>
    </message>
    <message>
        <source>Move to an earlier time.</source>
        <translation>移到较早的时间。</translation>
    </message>
    <message>
        <source>Moves</source>
        <translation>搬运</translation>
    </message>
    <message>
        <source>Moving data costs {loss} ({share}).</source>
        <translation>数据传输损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Named in the field below.</source>
        <translation>在下方输入框中命名。</translation>
    </message>
    <message>
        <source>Names</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>Names of spans in the range</source>
        <translation>范围内跨度的名称</translation>
    </message>
    <message>
        <source>Next</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation>下一个结果</translation>
    </message>
    <message>
        <source>Next hit (Return)</source>
        <translation>下一个结果 (Return)</translation>
    </message>
    <message>
        <source>Next lane</source>
        <translation>下一个通道</translation>
    </message>
    <message>
        <source>Next lesson</source>
        <translation>下一课</translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation>下一个标记</translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation>窗口的下一部分</translation>
    </message>
    <message>
        <source>Next span</source>
        <translation>下一个跨度</translation>
    </message>
    <message>
        <source>Next span in run B</source>
        <translation>运行 B 中的下一个跨度</translation>
    </message>
    <message>
        <source>Next tab</source>
        <translation>下一个标签页</translation>
    </message>
    <message>
        <source>No colour at all; patterns and letters tell families apart.</source>
        <translation>完全不用颜色；以图案和字母区分类别。</translation>
    </message>
    <message>
        <source>Nothing was odd about the file: all of it is shown.</source>
        <translation>文件没有异常：已全部显示。</translation>
    </message>
    <message>
        <source>Of it overlapped</source>
        <translation>其中重叠</translation>
    </message>
    <message>
        <source>Open a lesson of your own from a file: docs/lessons.md tells how to write one.</source>
        <translation>从文件打开您自己的课程：docs/lessons.md 说明如何编写。</translation>
    </message>
    <message>
        <source>Open lesson</source>
        <translation>打开课程</translation>
    </message>
    <message>
        <source>Open lesson…</source>
        <translation>打开课程…</translation>
    </message>
    <message>
        <source>Outlier</source>
        <translation>离群值</translation>
    </message>
    <message>
        <source>Outliers</source>
        <translation>离群值</translation>
    </message>
    <message>
        <source>Put the light on what this step is about.</source>
        <translation>突出显示此步骤所讲的内容。</translation>
    </message>
    <message>
        <source>QUESTION</source>
        <translation>问题</translation>
    </message>
    <message>
        <source>Rank</source>
        <translation>Rank</translation>
    </message>
    <message>
        <source>Rank {lane} computes for {most}, a rank on average for {mean}: that costs {loss} ({share}).</source>
        <translation>rank {lane} 计算 {most}，各 rank 平均 {mean}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {lane} computes {factor} times as long as other ranks for the same: that costs {loss} ({share}).</source>
        <translation>rank {lane} 做同样的计算用时是其他 rank 的 {factor} 倍：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} spends {own} a step on code outside of its model, loader and optimizer, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 每步在模型、加载器和优化器之外的代码上花费 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for the backward pass of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 在块 {block} 的反向传播上用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for the forward pass of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 在块 {block} 的前向传播上用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} for {work} of block {block}, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 在块 {block} 的 {work} 上用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to compute block {block} again, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 重新计算块 {block} 用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to compute the loss, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 计算损失用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} takes {own} to update the model, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 更新模型用时 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Rank {rank} waits {own} a step for its next batch, other ranks {usual}: that costs {loss} ({share}).</source>
        <translation>rank {rank} 每步等待下一批数据 {own}，其他 rank 为 {usual}：这耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Ranks</source>
        <translation>各 rank</translation>
    </message>
    <message>
        <source>Recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>Run what the form says: {what}. (F5)</source>
        <translation>运行表单中的设置：{what}。(F5)</translation>
    </message>
    <message>
        <source>Run what this step is about; the settings in the form stay as they are.</source>
        <translation>运行此步骤的内容；表单中的设置保持不变。</translation>
    </message>
    <message>
        <source>Run with several values of an option, and see which is the fastest.</source>
        <translation>用某个选项的多个值分别运行，看哪个最快。</translation>
    </message>
    <message>
        <source>Run {n} of {count} is under way…</source>
        <translation>正在进行第 {n} / {count} 个运行…</translation>
    </message>
    <message>
        <source>Running…</source>
        <translation>正在运行…</translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation>SVG 绘图 (*.svg)</translation>
    </message>
    <message>
        <source>Same task in the next step</source>
        <translation>下一步中的同一任务</translation>
    </message>
    <message>
        <source>Same task in the step before</source>
        <translation>上一步中的同一任务</translation>
    </message>
    <message>
        <source>Sample: {name}</source>
        <translation>示例：{name}</translation>
    </message>
    <message>
        <source>Samples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Save all…</source>
        <translation>全部保存…</translation>
    </message>
    <message>
        <source>Select the span that the selected one, or most of the selected bubble, waited for.</source>
        <translation>选择所选跨度（或所选气泡的大部分时间）所等待的跨度。</translation>
    </message>
    <message>
        <source>Shortest and longest of {n} steps</source>
        <translation>{n} 步中的最短与最长</translation>
    </message>
    <message>
        <source>Show me where</source>
        <translation>指给我看</translation>
    </message>
    <message>
        <source>Show the answer</source>
        <translation>显示答案</translation>
    </message>
    <message>
        <source>Show this run; a step takes so long in it.</source>
        <translation>显示此运行；其中一步用时如此。</translation>
    </message>
    <message>
        <source>Spans by kind or by name</source>
        <translation>按类型或名称列出跨度</translation>
    </message>
    <message>
        <source>Start in run</source>
        <translation>运行内开始</translation>
    </message>
    <message>
        <source>Step {n} of {count}</source>
        <translation>第 {n} 步 / 共 {count} 步</translation>
    </message>
    <message>
        <source>The job&apos;s code outside of its model, loader and optimizer costs {loss} ({share}).</source>
        <translation>作业在模型、加载器和优化器之外的代码耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>The last mark lies behind the end of the trace.</source>
        <translation>最后一个标记位于追踪结束之后。</translation>
    </message>
    <message>
        <source>The median of those.</source>
        <translation>它们的中位数。</translation>
    </message>
    <message>
        <source>The next batch is not there yet: the job waits for what loads its data.</source>
        <translation>下一个批次尚未就绪：作业在等待加载其数据。</translation>
    </message>
    <message>
        <source>The run was stopped.</source>
        <translation>运行已停止。</translation>
    </message>
    <message>
        <source>The time is outside of every step, or after a job&apos;s update and before anything else of its next step.</source>
        <translation>该时间在所有步骤之外，或在作业的更新之后、下一步的其他任何工作之前。</translation>
    </message>
    <message>
        <source>The whole step, from its start to its end.</source>
        <translation>整个步骤，从开始到结束。</translation>
    </message>
    <message>
        <source>Think first; the answer comes from what ran.</source>
        <translation>请先思考；答案来自刚才的运行。</translation>
    </message>
    <message>
        <source>Times usual</source>
        <translation>常值倍数</translation>
    </message>
    <message>
        <source>Too many spans to tell names and outliers apart: select a shorter range.</source>
        <translation>跨度太多，无法区分名称和离群值：请选择更短的范围。</translation>
    </message>
    <message>
        <source>Trace</source>
        <translation>追踪</translation>
    </message>
    <message>
        <source>Traces of other programs (*.json *.json.gz *.sqlite *.pftrace *.perfetto-trace)</source>
        <translation>其他程序的追踪 (*.json *.json.gz *.sqlite *.pftrace *.perfetto-trace)</translation>
    </message>
    <message>
        <source>Transfer alone</source>
        <translation>仅传输</translation>
    </message>
    <message>
        <source>Updating the model costs {loss} ({share}).</source>
        <translation>更新模型耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Use as steps</source>
        <translation>用作步</translation>
    </message>
    <message>
        <source>Usual</source>
        <translation>常值</translation>
    </message>
    <message>
        <source>Waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>Working out what ran…</source>
        <translation>正在分析运行结果…</translation>
    </message>
    <message>
        <source>a clock is out of bounds</source>
        <translation>某个时钟超出范围</translation>
    </message>
    <message>
        <source>a number has more than 64 bits</source>
        <translation>某个数超过 64 位</translation>
    </message>
    <message>
        <source>an event has more than {a} bytes</source>
        <translation>有事件超过 {a} 字节</translation>
    </message>
    <message>
        <source>an event that counts, or has an unusual form, has more than {a} bytes</source>
        <translation>计数事件或形式不寻常的事件超过 {a} 字节</translation>
    </message>
    <message>
        <source>by kind</source>
        <translation>按类型</translation>
    </message>
    <message>
        <source>by name</source>
        <translation>按名称</translation>
    </message>
    <message>
        <source>clocks were not compared for {a}: taken as rank 0&apos;s</source>
        <translation>未对 {a} 比较时钟：视为与 rank 0 相同</translation>
    </message>
    <message>
        <source>device {a} stream {b}</source>
        <translation>设备 {a} 流 {b}</translation>
    </message>
    <message>
        <source>it has more than {a}</source>
        <translation>它的数量超过 {a}</translation>
    </message>
    <message>
        <source>it has more than {a} bytes</source>
        <translation>超过 {a} 字节</translation>
    </message>
    <message>
        <source>it was cut</source>
        <translation>它被截断</translation>
    </message>
    <message>
        <source>its source is {a}, and its model has {b} blocks</source>
        <translation>其来源为 {a}，而其模型有 {b} 个块</translation>
    </message>
    <message>
        <source>its tables refer to more rows than a file of its size can have</source>
        <translation>其表引用的行数超过该大小文件可能具有的行数</translation>
    </message>
    <message>
        <source>its threads and their nested calls are more than {:,}</source>
        <translation>其线程及嵌套调用超过 {:,}</translation>
    </message>
    <message>
        <source>measured one task at a time, before each measured step</source>
        <translation>在每个实测步之前逐个任务测量</translation>
    </message>
    <message>
        <source>measuring costs, pass {n} of at most {most}</source>
        <translation>正在测量开销，第 {n} 遍，最多 {most} 遍</translation>
    </message>
    <message>
        <source>only the first {n}; add LIMIT</source>
        <translation>仅前 {n} 行；请加 LIMIT</translation>
    </message>
    <message>
        <source>recompute</source>
        <translation>重计算</translation>
    </message>
    <message>
        <source>starting rank {n} of {count}…</source>
        <translation>正在启动第 {n} 个 rank，共 {count} 个…</translation>
    </message>
    <message>
        <source>the numbers of steps do not increase</source>
        <translation>步的编号不递增</translation>
    </message>
    <message>
        <source>the whole trace</source>
        <translation>整个追踪</translation>
    </message>
    <message>
        <source>they have {a} lanes, and {b} can be shown</source>
        <translation>它们有 {a} 个通道，可显示 {b} 个</translation>
    </message>
    <message>
        <source>times are the host&apos;s: when work was launched, not when it ran</source>
        <translation>时间取自主机：是启动工作的时刻，而非执行的时刻</translation>
    </message>
    <message>
        <source>times with a time zone cannot be told here: cast them, as in now()::TIMESTAMP</source>
        <translation>这里无法显示带时区的时间：请转换，如 now()::TIMESTAMP</translation>
    </message>
    <message>
        <source>virtual lanes of {cores} cores: time that other programs take of a core counts as the tasks&apos;; lanes of one core leave it out</source>
        <translation>每个虚拟通道有 {cores} 个核心：其他程序占用核心的时间会计入任务时间；只有一个核心的通道会将其扣除</translation>
    </message>
    <message>
        <source>waiting for lanes with more work</source>
        <translation>等待工作更多的通道</translation>
    </message>
    <message>
        <source>waiting for the next batch of data</source>
        <translation>等待下一批数据</translation>
    </message>
    <message>
        <source>waiting for {who}, with more work</source>
        <translation>等待工作更多的 {who}</translation>
    </message>
    <message>
        <source>waits for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>wire type {a} is none of a trace</source>
        <translation>线路类型 {a} 不属于追踪</translation>
    </message>
    <message>
        <source>{a} (its clock was not compared: taken as rank 0&apos;s)</source>
        <translation>{a}（未比较其时钟：视为与 rank 0 相同）</translation>
    </message>
    <message>
        <source>{a} cannot be read</source>
        <translation>{a} 无法读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as a dump of the flight recorder</source>
        <translation>{a} 无法作为飞行记录器的转储读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as a folder of traces</source>
        <translation>{a} 无法作为追踪文件夹读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as a trace of Perfetto</source>
        <translation>{a} 无法作为 Perfetto 的追踪读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as an export of Nsight Systems</source>
        <translation>{a} 无法作为 Nsight Systems 的导出读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as one run</source>
        <translation>{a} 无法作为一个运行读取</translation>
    </message>
    <message>
        <source>{a} has arguments that cannot be read</source>
        <translation>{a} 含有无法读取的参数</translation>
    </message>
    <message>
        <source>{a} has changed since it was opened</source>
        <translation>{a} 打开后已被更改</translation>
    </message>
    <message>
        <source>{a} has {b} traces; at most {c} are read</source>
        <translation>{a} 有 {b} 个追踪；最多读取 {c} 个</translation>
    </message>
    <message>
        <source>{a} is refused: {b}</source>
        <translation>{a} 被拒绝：{b}</translation>
    </message>
    <message>
        <source>{a} steps are not in every rank&apos;s file: they are left out</source>
        <translation>{a} 个步并非每个 rank 的文件都有：已略去</translation>
    </message>
    <message>
        <source>{a} steps were left out: the device did not end them</source>
        <translation>有 {a} 步被略去：设备没有结束它们</translation>
    </message>
    <message>
        <source>{a} steps were left out: they came faster than written</source>
        <translation>有 {a} 步被略去：到来快于写入</translation>
    </message>
    <message>
        <source>{a}: it has no collective that says when it was called</source>
        <translation>{a}：没有说明何时被调用的集合通信</translation>
    </message>
    <message>
        <source>{a}: it has no kernel, call or range that says when it ran</source>
        <translation>{a}：没有说明何时运行的内核、调用或范围</translation>
    </message>
    <message>
        <source>{a}: it has no track event that says when it ran</source>
        <translation>{a}：没有说明何时运行的轨道事件</translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes</source>
        <translation>{lanes} 个通道上每步 {count} 个任务</translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes (expected)</source>
        <translation>{lanes} 个通道上每步 {count} 个任务（预期）</translation>
    </message>
    <message>
        <source>{lane}: {work} × the mean work</source>
        <translation>{lane}：工作量为平均的 {work} 倍</translation>
    </message>
    <message>
        <source>{lane}: {work} × the mean work, {memory} × the mean memory</source>
        <translation>{lane}：工作量为平均的 {work} 倍，内存为平均的 {memory} 倍</translation>
    </message>
    <message>
        <source>{length} from {start} since the run&apos;s start</source>
        <translation>自运行开始 {start} 起，长 {length}</translation>
    </message>
    <message>
        <source>{n}. {title}</source>
        <translation>{n}. {title}</translation>
    </message>
    <message>
        <source>{one}, but {other}</source>
        <translation>{one}，但 {other}</translation>
    </message>
    <message>
        <source>{option} {value}</source>
        <translation>{option} {value}</translation>
    </message>
    <message>
        <source>{other} excludes this: set it back to 0 to use this.</source>
        <translation>{other} 与此项互斥：要使用此项，请将其恢复为 0。</translation>
    </message>
    <message>
        <source>{part} ({count} set)</source>
        <translation>{part}（已设 {count} 项）</translation>
    </message>
    <message>
        <source>{ratio} (noise)</source>
        <translation>{ratio}（噪声）</translation>
    </message>
    <message>
        <source>{result}
Click to open its run.</source>
        <translation>{result}
单击可打开其运行。</translation>
    </message>
    <message>
        <source>No lane is called “{name}”.</source>
        <translation>没有名为“{name}”的通道。</translation>
    </message>
    <message>
        <source> (a | stands between values of one key: mb:2|5)</source>
        <translation>（同一个键的多个值之间用 | 隔开：mb:2|5）</translation>
    </message>
    <message>
        <source> (this is replica {a})</source>
        <translation>（这是副本 {a}）</translation>
    </message>
    <message>
        <source> cannot be imported</source>
        <translation> 无法导入</translation>
    </message>
    <message>
        <source>--batch {a} of {b} needs at least {c} GB, but this machine has {d} GB: use fewer rows or a smaller model</source>
        <translation>{b} 的 --batch {a} 至少需要 {c} GB，但本机只有 {d} GB：请减少行数或使用更小的模型</translation>
    </message>
    <message>
        <source>--blocks is not for {a}, whose ranks torch runs by itself; it is for {b}</source>
        <translation>--blocks 不适用于 {a}，它的各 rank 由 torch 自行运行；它用于 {b}</translation>
    </message>
    <message>
        <source>--chunks {a} is not for {b}, which says itself how many stages a lane holds</source>
        <translation>--chunks {a} 不适用于 {b}，它自行规定每个通道容纳多少个阶段</translation>
    </message>
    <message>
        <source>--data {a} is over {b} batches of {c} rows</source>
        <translation>--data {a} 超过 {b} 个 {c} 行的批次</translation>
    </message>
    <message>
        <source>--depth {a}: the gpt takes 2 or more (at least 4 blocks in all)</source>
        <translation>--depth {a}：gpt 需要 2 或更大（总共至少 4 个块）</translation>
    </message>
    <message>
        <source>--devices {a} mixes kinds of devices; use one kind in a run</source>
        <translation>--devices {a} 混用了不同种类的设备；一次运行只能使用一种</translation>
    </message>
    <message>
        <source>--devices {a}: explaining {b} lanes takes about {c} GB, more than an eighth of this machine&apos;s {d} GB; use at most {e} lanes</source>
        <translation>--devices {a}：解释 {b} 个通道约需 {c} GB，超过本机 {d} GB 的八分之一；请最多使用 {e} 个通道</translation>
    </message>
    <message>
        <source>--devices {a}: virtual lanes run alone, on one device; use 8xvirtual:cpu</source>
        <translation>--devices {a}：虚拟通道只能单独在一个设备上运行；请使用 8xvirtual:cpu</translation>
    </message>
    <message>
        <source>--devices {a}: {b} is no device; use {c}</source>
        <translation>--devices {a}：{b} 不是设备；请使用 {c}</translation>
    </message>
    <message>
        <source>--devices {a}: {b} lanes; use 1 to {c}</source>
        <translation>--devices {a}：{b} 个通道；请使用 1 至 {c}</translation>
    </message>
    <message>
        <source>--heads {a} do not divide --width {b}; use a divisor</source>
        <translation>--heads {a} 不能整除 --width {b}；请使用其约数</translation>
    </message>
    <message>
        <source>--image-size {a}: resnet50 takes 32 or more pixels</source>
        <translation>--image-size {a}：resnet50 需要 32 像素或更多</translation>
    </message>
    <message>
        <source>--link {a}: use a bandwidth above 0 GB/s</source>
        <translation>--link {a}：请使用大于 0 GB/s 的带宽</translation>
    </message>
    <message>
        <source>--link {a}: use {b} or {c}, each number below 10^9</source>
        <translation>--link {a}：请使用 {b} 或 {c}，每个数都小于 10^9</translation>
    </message>
    <message>
        <source>--model {a} has no {b}(): it needs build() and batch()</source>
        <translation>--model {a} 没有 {b}()：它需要 build() 和 batch()</translation>
    </message>
    <message>
        <source>--model {a}: batch({b}) must give input and target, tensors of {c} rows</source>
        <translation>--model {a}：batch({b}) 必须给出输入和目标，即 {c} 行的张量</translation>
    </message>
    <message>
        <source>--model {a}: block {b} gave no tensor</source>
        <translation>--model {a}：块 {b} 没有给出张量</translation>
    </message>
    <message>
        <source>--model {a}: build() gave a model without parameters to train</source>
        <translation>--model {a}：build() 给出的模型没有可训练的参数</translation>
    </message>
    <message>
        <source>--model {a}: build() gave a model without sizes of its parameters; name them</source>
        <translation>--model {a}：build() 给出的模型没有参数大小；请指明</translation>
    </message>
    <message>
        <source>--model {a}: loss is no function; use loss(output, target)</source>
        <translation>--model {a}：loss 不是函数；请使用 loss(output, target)</translation>
    </message>
    <message>
        <source>--model {a}: loss() gave {b}; it must give a tensor of one number, the mean over rows</source>
        <translation>--model {a}：loss() 给出了 {b}；它必须给出只含一个数的张量，即各行的平均</translation>
    </message>
    <message>
        <source>--model {a}: there is no such file</source>
        <translation>--model {a}：没有这个文件</translation>
    </message>
    <message>
        <source>--slow-kind {a}: use {b}</source>
        <translation>--slow-kind {a}：请使用 {b}</translation>
    </message>
    <message>
        <source>--slow-link {a}-{b}: name two different lanes</source>
        <translation>--slow-link {a}-{b}：请指定两个不同的通道</translation>
    </message>
    <message>
        <source>--split-size {a} makes {b} micro-batches of {c} rows; use a size that makes at most {d}</source>
        <translation>--split-size {a} 会产生 {b} 个 {c} 行的微批次；请使用最多产生 {d} 个的大小</translation>
    </message>
    <message>
        <source>--stages {a}: {b} is for {c} stages</source>
        <translation>--stages {a}：{b} 用于 {c} 个阶段</translation>
    </message>
    <message>
        <source>--{a} {b}: use a name that ends in {c}</source>
        <translation>--{a} {b}：请使用以 {c} 结尾的名称</translation>
    </message>
    <message>
        <source>1 arrow lacks its beginning or its end.</source>
        <translation>1 个箭头缺少起点或终点。</translation>
    </message>
    <message>
        <source>1 collective has no end time: it is shown as a moment.</source>
        <translation>1 个集合通信未说明何时结束：各显示为一个时刻。</translation>
    </message>
    <message>
        <source>1 core a lane instead of {a}</source>
        <translation>每通道 1 个核心，而不是 {a} 个</translation>
    </message>
    <message>
        <source>1 event of a kind that is not shown is left out.</source>
        <translation>略去了 1 个不显示类型的事件。</translation>
    </message>
    <message>
        <source>1 event overlaps others of its row without being nested in them: it is shown in a separate row.</source>
        <translation>1 个事件与同一行的其他事件重叠但不属于它们：它们各有自己的行。</translation>
    </message>
    <message>
        <source>1 event that begins and never ends is left out.</source>
        <translation>略去了 1 个有开始而无结束的事件。</translation>
    </message>
    <message>
        <source>1 event that ends and never began is left out.</source>
        <translation>略去了 1 个有结束而无开始的事件。</translation>
    </message>
    <message>
        <source>1 event without a time is left out.</source>
        <translation>略去了 1 个没有时间的事件。</translation>
    </message>
    <message>
        <source>1 file does not contain its rank: it is taken from the order of the files&apos; names.</source>
        <translation>1 个文件未说明其 rank：按名称顺序确定。</translation>
    </message>
    <message>
        <source>1 file has the same rank as another file.</source>
        <translation>1 个文件的 rank 与另一文件相同。</translation>
    </message>
    <message>
        <source>1 file of the folder cannot be read.</source>
        <translation>文件夹中有 1 个文件无法读取。</translation>
    </message>
    <message>
        <source>1 lane instead of {a}</source>
        <translation>1 个通道，而不是 {a} 个</translation>
    </message>
    <message>
        <source>1 micro-batch instead of {a}</source>
        <translation>1 个微批次，而不是 {a} 个</translation>
    </message>
    <message>
        <source>1 name of a process or thread cannot be read: a number is shown instead.</source>
        <translation>1 个进程或线程的名称无法读取：以编号代替。</translation>
    </message>
    <message>
        <source>1 process number is used for two things: these are shown separately.</source>
        <translation>1 个进程编号对应两个对象：已加以区分。</translation>
    </message>
    <message>
        <source>1 packet could not be read: it is left out.</source>
        <translation>1 个数据包无法读取：已略去。</translation>
    </message>
    <message>
        <source>1 rank has no time in common with the first: it begins at 0.</source>
        <translation>1 个 rank 与第一个没有共同时间：各自从 0 开始。</translation>
    </message>
    <message>
        <source>1 replica instead of {a}</source>
        <translation>1 个副本，而不是 {a} 个</translation>
    </message>
    <message>
        <source>1 row instead of {a}</source>
        <translation>1 行，而不是 {a} 行</translation>
    </message>
    <message>
        <source>1 row of the database has no valid time: it is left out.</source>
        <translation>略去了数据库中 1 个没有有效时间的行。</translation>
    </message>
    <message>
        <source>1 stage instead of {a}</source>
        <translation>1 个阶段，而不是 {a} 个</translation>
    </message>
    <message>
        <source>1 step is not in every rank&apos;s file: it is left out</source>
        <translation>1 个步并非每个 rank 的文件都有：已略去</translation>
    </message>
    <message>
        <source>1 task of a device has no call that launched it.</source>
        <translation>设备的 1 个任务没有启动它们的调用。</translation>
    </message>
    <message>
        <source>: batch({a}) failed</source>
        <translation>：batch({a}) 失败</translation>
    </message>
    <message>
        <source>: block {a} failed</source>
        <translation>：块 {a} 失败</translation>
    </message>
    <message>
        <source>: torch.export cannot cut it into blocks</source>
        <translation>：torch.export 无法将其切成块</translation>
    </message>
    <message>
        <source>; it may have run out of memory</source>
        <translation>；可能是内存不足</translation>
    </message>
    <message>
        <source>A job is recorded</source>
        <translation>记录一个作业</translation>
    </message>
    <message>
        <source>Address</source>
        <translation>地址</translation>
    </message>
    <message>
        <source>Address to listen on</source>
        <translation>监听地址</translation>
    </message>
    <message>
        <source>Another stream of the same device computes: no loss in itself.</source>
        <translation>同一设备的另一个流正在计算：本身并无损失。</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Arguments in the file</source>
        <translation>文件中的参数</translation>
    </message>
    <message>
        <source>Balance</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>Border {number} of {count}, before block {block}.</source>
        <translation>边界 {number} / {count}，在块 {block} 之前。</translation>
    </message>
    <message>
        <source>Borders</source>
        <translation>边界</translation>
    </message>
    <message>
        <source>By parameters</source>
        <translation>按参数</translation>
    </message>
    <message>
        <source>Bytes moved in each step</source>
        <translation>每步移动的字节数</translation>
    </message>
    <message>
        <source>COLLECTIVES · who came last, mean wait and transfer</source>
        <translation>集合通信 · 谁最后到达，平均等待与传输</translation>
    </message>
    <message>
        <source>CUDA_LAUNCH_BLOCKING is set: kernels run one by one and nothing overlaps</source>
        <translation>已设置 CUDA_LAUNCH_BLOCKING：内核逐个运行，没有任何重叠</translation>
    </message>
    <message>
        <source>Click a bar or an idle gap for its details. Drag to count a range; Shift+click measures to another bar.</source>
        <translation>单击条或空闲间隙查看详情。拖动可统计范围；Shift+单击测量到另一个条。</translation>
    </message>
    <message>
        <source>Clock</source>
        <translation>时钟</translation>
    </message>
    <message>
        <source>Close this window; listening goes on.</source>
        <translation>关闭此窗口；监听继续。</translation>
    </message>
    <message>
        <source>Collectives that are not listed, with shorter waits: {n}</source>
        <translation>未列出的、等待更短的集合通信：{n}</translation>
    </message>
    <message>
        <source>Colour another program&apos;s bars by their name, or as its file says.</source>
        <translation>其他程序的条按名称着色，或按其文件所述。</translation>
    </message>
    <message>
        <source>Communication alone takes {share}.</source>
        <translation>仅通信（无计算）占 {share}。</translation>
    </message>
    <message>
        <source>Communication that no computing hides costs {loss} a step ({share}).</source>
        <translation>未被计算掩盖的通信每步损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Connections that were refused: {count}.</source>
        <translation>被拒绝的连接：{count}。</translation>
    </message>
    <message>
        <source>Copies alone take {share}.</source>
        <translation>仅复制（无计算）占 {share}。</translation>
    </message>
    <message>
        <source>Copies that no computing hides cost {loss} a step ({share}).</source>
        <translation>未被计算掩盖的复制每步损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Copy the command</source>
        <translation>复制命令</translation>
    </message>
    <message>
        <source>Copy the lines for the script</source>
        <translation>复制脚本所需的行</translation>
    </message>
    <message>
        <source>Counted from 0, warm-up steps included, as step: in a search and files of spans have it.</source>
        <translation>从 0 开始计数，包含预热步；搜索中的 step: 和跨度文件也这样计数。</translation>
    </message>
    <message>
        <source>Counters</source>
        <translation>计数器</translation>
    </message>
    <message>
        <source>Counters are not shown.</source>
        <translation>计数器未显示。</translation>
    </message>
    <message>
        <source>Cut into stages of nearly equal parameters.</source>
        <translation>切分为参数量几乎相等的阶段。</translation>
    </message>
    <message>
        <source>Cut the model where the measured times of its blocks are balanced.</source>
        <translation>在各块实测时间均衡之处切分模型。</translation>
    </message>
    <message>
        <source>Cut where the measured times of the stages are balanced.</source>
        <translation>在各阶段实测时间均衡处切分。</translation>
    </message>
    <message>
        <source>Devices are in use for {used} of it.</source>
        <translation>其中设备使用了 {used}。</translation>
    </message>
    <message>
        <source>Devices idle {idle}, the largest part {reason} ({share}).</source>
        <translation>设备空闲 {idle}，最大部分：{reason}（{share}）。</translation>
    </message>
    <message>
        <source>Devices idle {idle}.</source>
        <translation>设备空闲 {idle}。</translation>
    </message>
    <message>
        <source>Devices idle {idle}: mostly {reason} ({share}).</source>
        <translation>设备空闲 {idle}：主要是{reason}（{share}）。</translation>
    </message>
    <message>
        <source>Devices idle {loss} a step ({share}), and the trace does not tell what for.</source>
        <translation>设备每步空闲 {loss}（{share}），跟踪中没有说明原因。</translation>
    </message>
    <message>
        <source>Devices wait {loss} a step ({share}) for the host to start their work.</source>
        <translation>设备每步等待主机启动工作 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Drag to move, wheel or + and − to zoom, a double click for one step.</source>
        <translation>拖动以移动，滚轮或 + 和 − 以缩放，双击显示一步。</translation>
    </message>
    <message>
        <source>Drag to move, wheel or + and − to zoom.</source>
        <translation>拖动以移动，滚轮或 + 和 − 以缩放。</translation>
    </message>
    <message>
        <source>Examples</source>
        <translation>示例</translation>
    </message>
    <message>
        <source>Explain range</source>
        <translation>解释范围</translation>
    </message>
    <message>
        <source>Explain this range</source>
        <translation>解释此范围</translation>
    </message>
    <message>
        <source>Export execution traces: name a new folder</source>
        <translation>导出执行轨迹：命名一个新文件夹</translation>
    </message>
    <message>
        <source>Export for ASTRA-sim…</source>
        <translation>导出到 ASTRA-sim…</translation>
    </message>
    <message>
        <source>Export for Holistic Trace Analysis…</source>
        <translation>导出到 Holistic Trace Analysis…</translation>
    </message>
    <message>
        <source>Export ranks: name a new folder</source>
        <translation>导出各 rank：命名一个新文件夹</translation>
    </message>
    <message>
        <source>Export trace</source>
        <translation>导出轨迹</translation>
    </message>
    <message>
        <source>Export trace…</source>
        <translation>导出轨迹…</translation>
    </message>
    <message>
        <source>From a file: {a} ranks, {b} stages, {c} micro-batches.</source>
        <translation>来自文件：{a} 个 rank，{b} 个阶段，{c} 个微批次。</translation>
    </message>
    <message>
        <source>How durations scatter</source>
        <translation>时长如何分布</translation>
    </message>
    <message>
        <source>Idle time, communication alone and copies alone cost less than a twentieth each.</source>
        <translation>空闲、仅通信和仅复制的损失各不到二十分之一。</translation>
    </message>
    <message>
        <source>Idle: {cause}</source>
        <translation>空闲：{cause}</translation>
    </message>
    <message>
        <source>In this pixel: {least} to {most}</source>
        <translation>此像素内：{least} 至 {most}</translation>
    </message>
    <message>
        <source>In this trace: {least} to {most}</source>
        <translation>此追踪中：{least} 至 {most}</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: lanes share cores, which slow each other down.</source>
        <translation>偏差超过四分之一：通道共用核心，彼此拖慢。</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: the tasks took other times than their costs say.</source>
        <translation>偏差超过四分之一：任务的用时与其开销所示不同。</translation>
    </message>
    <message>
        <source>It is off by more than a quarter: these tasks are so short that starting them counts.</source>
        <translation>偏差超过四分之一：这些任务太短，启动它们的时间不可忽略。</translation>
    </message>
    <message>
        <source>Jobs on other machines can connect if they know the token in the address. What they send is not encrypted: listen on a network that you trust.</source>
        <translation>其他机器上的作业若知道地址中的令牌即可连接。它们发送的内容未加密：请在可信的网络上监听。</translation>
    </message>
    <message>
        <source>Jobs on this machine can connect. The address has a token in it: whoever does not know it is refused.</source>
        <translation>本机上的作业可以连接。地址中含有令牌：不知道令牌者将被拒绝。</translation>
    </message>
    <message>
        <source>KIND:FACTOR, such as backward:1.2</source>
        <translation>类型:系数，例如 backward:1.2</translation>
    </message>
    <message>
        <source>Lane memory</source>
        <translation>通道内存</translation>
    </message>
    <message>
        <source>Lane {lane} computes {factor} times as long as other lanes for the same: that costs at least {loss} ({share}).</source>
        <translation>通道 {lane} 做同样的工作所用的计算时间是其他通道的 {factor} 倍：至少损失 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Lanes idle {idle}, the largest part {reason} ({share}).</source>
        <translation>通道空闲 {idle}，最大部分：{reason}（{share}）。</translation>
    </message>
    <message>
        <source>Limit of a lane, MB</source>
        <translation>通道上限，MB</translation>
    </message>
    <message>
        <source>Lines for the script</source>
        <translation>脚本所需的行</translation>
    </message>
    <message>
        <source>Listen</source>
        <translation>监听</translation>
    </message>
    <message>
        <source>Listen for a training job</source>
        <translation>监听训练作业</translation>
    </message>
    <message>
        <source>Listen for a training job…</source>
        <translation>监听训练作业…</translation>
    </message>
    <message>
        <source>MB</source>
        <translation>MB</translation>
    </message>
    <message>
        <source>Machine</source>
        <translation>机器</translation>
    </message>
    <message>
        <source>Measure</source>
        <translation>测量</translation>
    </message>
    <message>
        <source>Measure what each block costs, in a short run beside the form&apos;s.</source>
        <translation>用一次短运行测量每个块的开销，表单不变。</translation>
    </message>
    <message>
        <source>Measure, or Run, shows the blocks of {name}, which are not known yet.</source>
        <translation>“测量”或“运行”会显示 {name} 的块，目前尚不可知。</translation>
    </message>
    <message>
        <source>Measured with micro-batches of {rows}.</source>
        <translation>以 {rows} 的微批次测量。</translation>
    </message>
    <message>
        <source>Measured with micro-batches of {rows}; in proportion for {asked}.</source>
        <translation>以 {rows} 的微批次测量；对 {asked} 按比例换算。</translation>
    </message>
    <message>
        <source>Next step</source>
        <translation>下一步</translation>
    </message>
    <message>
        <source>No job has connected yet.</source>
        <translation>尚无作业连接。</translation>
    </message>
    <message>
        <source>No lane on screen is idle in the measured steps on screen.</source>
        <translation>在画面中的实测步内，画面中没有空闲的通道。</translation>
    </message>
    <message>
        <source>No lane, link or step is slower than its peers; balance, order and communication cost less than a twentieth each.</source>
        <translation>没有通道、链路或步慢于同类；均衡、顺序和通信各自的损失都不到二十分之一。</translation>
    </message>
    <message>
        <source>No run is shown: there are no settings to use.</source>
        <translation>未显示任何运行：没有可用的设置。</translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation>尚无运行</translation>
    </message>
    <message>
        <source>No waiting inside a lane, for twice the memory.</source>
        <translation>通道内部无等待，代价是两倍内存。</translation>
    </message>
    <message>
        <source>No whole step of a plan was recorded: there is none to write as a graph.</source>
        <translation>没有录制到计划的完整步：没有可写成图的内容。</translation>
    </message>
    <message>
        <source>Node</source>
        <translation>节点</translation>
    </message>
    <message>
        <source>Not explained</source>
        <translation>未解释</translation>
    </message>
    <message>
        <source>Not explained: the step has {n} tasks, and at most {most} are explained here.</source>
        <translation>未解释：该步有 {n} 个任务，此处最多解释 {most} 个。</translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation>尚未测量。</translation>
    </message>
    <message>
        <source>Note</source>
        <translation>备注</translation>
    </message>
    <message>
        <source>Note of the mark</source>
        <translation>标记的备注</translation>
    </message>
    <message>
        <source>Note…</source>
        <translation>备注…</translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation>无</translation>
    </message>
    <message>
        <source>Nothing begins in this range: there is nothing to explain.</source>
        <translation>此范围内没有任何开始：没有可解释的内容。</translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation>没有这个名称的内容。</translation>
    </message>
    <message>
        <source>Nothing recorded</source>
        <translation>未录制任何内容</translation>
    </message>
    <message>
        <source>Numbers are micro-batches.</source>
        <translation>数字为微批次。</translation>
    </message>
    <message>
        <source>Of the run that is shown</source>
        <translation>所示运行的</translation>
    </message>
    <message>
        <source>On how many devices the stages are, whatever this machine has.</source>
        <translation>各阶段分布在多少个设备上，与本机实际设备无关。</translation>
    </message>
    <message>
        <source>One column, 85 mm</source>
        <translation>单栏，85 mm</translation>
    </message>
    <message>
        <source>One device computes the loss of all replicas.</source>
        <translation>一个设备计算所有副本的损失。</translation>
    </message>
    <message>
        <source>One device copies the model&apos;s parameters to the replicas.</source>
        <translation>一个设备将模型的参数拷贝到各副本。</translation>
    </message>
    <message>
        <source>One device gathers the outputs or reduces the gradients of all replicas.</source>
        <translation>一个设备收集所有副本的输出，或归约其梯度。</translation>
    </message>
    <message>
        <source>One device sends the replicas their inputs, or the gradients of their outputs.</source>
        <translation>一个设备将输入或输出的梯度分发给各副本。</translation>
    </message>
    <message>
        <source>One device updates the parameters of all replicas.</source>
        <translation>一个设备更新所有副本的参数。</translation>
    </message>
    <message>
        <source>One forward, one backward in turn.</source>
        <translation>前向与反向轮流各做一个。</translation>
    </message>
    <message>
        <source>One gathers all on lane 0, the other reduces while it computes.</source>
        <translation>一个在通道 0 上收集全部，另一个边计算边归约。</translation>
    </message>
    <message>
        <source>One row for each lane; the Details panel tells the selection.</source>
        <translation>每个通道一行；“详情”面板说明所选内容。</translation>
    </message>
    <message>
        <source>Only measured times are balanced under a limit.</source>
        <translation>只有实测时间才会在限制下均衡。</translation>
    </message>
    <message>
        <source>Only virtual lanes have a clock of their own.</source>
        <translation>只有虚拟通道才有自己的时钟。</translation>
    </message>
    <message>
        <source>Only {level}</source>
        <translation>仅 {level}</translation>
    </message>
    <message>
        <source>Open a recording from a file.</source>
        <translation>从文件打开录制文件。</translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation>展开所有分组</translation>
    </message>
    <message>
        <source>Open folder of ranks</source>
        <translation>打开 rank 文件夹</translation>
    </message>
    <message>
        <source>Open folder of ranks…</source>
        <translation>打开 rank 文件夹…</translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation>打开最近的文件</translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>Open recordings</source>
        <translation>打开录制文件</translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation>打开录制文件…</translation>
    </message>
    <message>
        <source>Open runs and recordings</source>
        <translation>已打开的运行和录制文件</translation>
    </message>
    <message>
        <source>Open the files of a job&apos;s ranks, one each in a folder, as one run.</source>
        <translation>将文件夹中一个作业各 rank 的文件作为一个运行打开。</translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation>打开 {name}</translation>
    </message>
    <message>
        <source>Opened {names}.</source>
        <translation>已打开 {names}。</translation>
    </message>
    <message>
        <source>Opening {name}: {share} %</source>
        <translation>正在打开 {name}：{share} %</translation>
    </message>
    <message>
        <source>Opens the pipeline and selects its longest idle gap; Details says why it is there.</source>
        <translation>打开该流水线并选中其最长的空闲间隙；“详情”会说明其原因。</translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>Optimizer step</source>
        <translation>优化器步</translation>
    </message>
    <message>
        <source>Or choose a link speed above.</source>
        <translation>或在上方选择链路速度。</translation>
    </message>
    <message>
        <source>Or open a recording (Ctrl+O).</source>
        <translation>或打开录制文件 (Ctrl+O)。</translation>
    </message>
    <message>
        <source>Or press F5 to run what the form on the left says, drop recordings here, or press Ctrl+Shift+P for everything else.</source>
        <translation>或按 F5 运行左侧表单的设置，将录制文件拖放到此处，或按 Ctrl+Shift+P 执行其他操作。</translation>
    </message>
    <message>
        <source>Or start the job like this, without any line in it:</source>
        <translation>或者这样启动作业，无需添加任何行：</translation>
    </message>
    <message>
        <source>Other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>Other kinds</source>
        <translation>其他类型</translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation>结果</translation>
    </message>
    <message>
        <source>Outline</source>
        <translation>描边</translation>
    </message>
    <message>
        <source>Outline the tasks that make each step on screen as long as it is.</source>
        <translation>为屏幕上决定每一步长度的任务描边。</translation>
    </message>
    <message>
        <source>Over 1 step.</source>
        <translation>取自 1 步。</translation>
    </message>
    <message>
        <source>Over {n} steps.</source>
        <translation>取自 {n} 步。</translation>
    </message>
    <message>
        <source>Overview of the whole run</source>
        <translation>整个运行的概览</translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation>PDF 文档 (*.pdf)</translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation>PNG 图像 (*.png)</translation>
    </message>
    <message>
        <source>Pan.</source>
        <translation>平移。</translation>
    </message>
    <message>
        <source>Panels that share this place</source>
        <translation>共用此位置的面板</translation>
    </message>
    <message>
        <source>Part before</source>
        <translation>前一部分</translation>
    </message>
    <message>
        <source>Pick a piece to show its task in the timeline.</source>
        <translation>选取一段，在时间线中显示其任务。</translation>
    </message>
    <message>
        <source>Picture…</source>
        <translation>图片…</translation>
    </message>
    <message>
        <source>Pin the lane</source>
        <translation>固定通道</translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 2 CPU lanes</source>
        <translation>2 个 CPU 通道上的 1F1B 流水线</translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 4 virtual lanes</source>
        <translation>4 个虚拟通道上的 1F1B 流水线</translation>
    </message>
    <message>
        <source>Pipelines side by side</source>
        <translation>并列的流水线</translation>
    </message>
    <message>
        <source>Pipelines that run side by side.</source>
        <translation>并列运行的流水线数。</translation>
    </message>
    <message>
        <source>Pixels of a PNG</source>
        <translation>PNG 的像素</translation>
    </message>
    <message>
        <source>Plain: 1 ms a pass</source>
        <translation>简单：每趟 1 ms</translation>
    </message>
    <message>
        <source>Point at a mark, or go to one, to delete it.</source>
        <translation>指向某个标记或转到该标记，以将其删除。</translation>
    </message>
    <message>
        <source>Point at a moment of a run, or select something, to mark it.</source>
        <translation>指向运行的某一时刻，或选择内容，以进行标记。</translation>
    </message>
    <message>
        <source>Port to listen on</source>
        <translation>监听端口</translation>
    </message>
    <message>
        <source>Predict all</source>
        <translation>全部预测</translation>
    </message>
    <message>
        <source>Predict every way again, from the run that is shown.</source>
        <translation>根据所示的运行重新预测每种方式。</translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Predicted passes of a step: {now} before, {then} with these borders ({change}).</source>
        <translation>一步的预测计算：之前 {now}，采用这些边界 {then}（{change}）。</translation>
    </message>
    <message>
        <source>Predicted passes of a step: {now}.</source>
        <translation>一步的预测计算：{now}。</translation>
    </message>
    <message>
        <source>Predicted timeline</source>
        <translation>预测的时间线</translation>
    </message>
    <message>
        <source>Predicted: {part}</source>
        <translation>预测：{part}</translation>
    </message>
    <message>
        <source>Predicted: {task}, {time}</source>
        <translation>预测：{task}，{time}</translation>
    </message>
    <message>
        <source>Predicting {devices} devices, {microbatches} micro-batches…</source>
        <translation>正在预测 {devices} 个设备、{microbatches} 个微批次…</translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>Prediction of this run</source>
        <translation>此运行的预测</translation>
    </message>
    <message>
        <source>Preparing the run…</source>
        <translation>正在准备运行…</translation>
    </message>
    <message>
        <source>Press M to mark the moment under the pointer, or the start of what is selected; Shift+M marks what is selected from start to end. Marks are kept beside the recording.</source>
        <translation>按 M 标记指针所在的时刻或所选内容的起点；Shift+M 标记所选内容从起点到终点的范围。标记保存在录制文件旁。</translation>
    </message>
    <message>
        <source>Preview</source>
        <translation>预览</translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation>上一个结果</translation>
    </message>
    <message>
        <source>Previous hit (Shift+Return)</source>
        <translation>上一个结果 (Shift+Return)</translation>
    </message>
    <message>
        <source>Previous lane</source>
        <translation>上一个通道</translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation>上一个标记</translation>
    </message>
    <message>
        <source>Previous span</source>
        <translation>上一个跨度</translation>
    </message>
    <message>
        <source>Previous span in run B</source>
        <translation>运行 B 中的上一个跨度</translation>
    </message>
    <message>
        <source>Previous tab</source>
        <translation>上一个标签页</translation>
    </message>
    <message>
        <source>Progress of counting</source>
        <translation>统计进度</translation>
    </message>
    <message>
        <source>Progress of opening the recording</source>
        <translation>打开录制文件的进度</translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation>运行进度</translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown, and see what takes longer, and why.</source>
        <translation>将另一次运行、录制文件或预测放在所示运行的下方，查看哪里用时更长及其原因。</translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown.</source>
        <translation>将另一次运行、录制文件或预测放在所示运行的下方。</translation>
    </message>
    <message>
        <source>Put faults into the virtual lanes, to see what they do.</source>
        <translation>在虚拟通道中加入故障，观察其影响。</translation>
    </message>
    <message>
        <source>Put it on the clipboard, as an image and as SVG.</source>
        <translation>以图像和 SVG 形式放到剪贴板。</translation>
    </message>
    <message>
        <source>Put the settings of the run that is shown into the form; Run then starts them.</source>
        <translation>将所示运行的设置填入表单；之后按“运行”即以这些设置启动。</translation>
    </message>
    <message>
        <source>Put these lines into the script, around its training loop:</source>
        <translation>将这些行放入脚本，包住训练循环：</translation>
    </message>
    <message>
        <source>Put these settings into the form and run them.</source>
        <translation>将这些设置填入表单并运行。</translation>
    </message>
    <message>
        <source>Put this into the settings; Run then starts it.</source>
        <translation>将此填入设置；然后按“运行”开始。</translation>
    </message>
    <message>
        <source>Query</source>
        <translation>查询</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>退出</translation>
    </message>
    <message>
        <source>Ranks that have connected</source>
        <translation>已连接的 rank</translation>
    </message>
    <message>
        <source>Read costs from a JSON or TOML file.</source>
        <translation>从 JSON 或 TOML 文件读取开销。</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>就绪</translation>
    </message>
    <message>
        <source>Reasons of the gap</source>
        <translation>间隙的原因</translation>
    </message>
    <message>
        <source>Record when each block of the model is passed; that costs a little.</source>
        <translation>记录经过模型每个块的时间；这会有少量开销。</translation>
    </message>
    <message>
        <source>Recordings (*.arrow)</source>
        <translation>录制文件 (*.arrow)</translation>
    </message>
    <message>
        <source>Reduce</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>Reduce-scatter</source>
        <translation>Reduce-scatter</translation>
    </message>
    <message>
        <source>Reduced: up to {spans} spans in one mark.</source>
        <translation>已精简：每个图元最多含 {spans} 个跨度。</translation>
    </message>
    <message>
        <source>Remove missing files</source>
        <translation>移除缺失的文件</translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation>从列表中移除 {name}</translation>
    </message>
    <message>
        <source>Rename</source>
        <translation>重命名</translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation>重命名…</translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation>重复</translation>
    </message>
    <message>
        <source>Replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>Replicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>Replicate the model, split the batch.</source>
        <translation>复制模型，划分批次。</translation>
    </message>
    <message>
        <source>ResNet-50</source>
        <translation>ResNet-50</translation>
    </message>
    <message>
        <source>ResNet-50 on square images.</source>
        <translation>处理正方形图像的 ResNet-50。</translation>
    </message>
    <message>
        <source>Reset</source>
        <translation>重置</translation>
    </message>
    <message>
        <source>Reset to the built-in colours</source>
        <translation>重置为内置颜色</translation>
    </message>
    <message>
        <source>Results of the sweep</source>
        <translation>扫描结果</translation>
    </message>
    <message>
        <source>Rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>Rows of an epoch; the last batch of it may be smaller.</source>
        <translation>一个 epoch 的行数；其最后一个批次可能较小。</translation>
    </message>
    <message>
        <source>Rows of each micro-batch; the last one may have fewer.</source>
        <translation>每个微批次的行数；最后一个可能较少。</translation>
    </message>
    <message>
        <source>Rows of the whole batch, over all lanes.</source>
        <translation>整个批次的行数，涵盖所有通道。</translation>
    </message>
    <message>
        <source>Rows of the whole batch; without a number it grows with the micro-batches.</source>
        <translation>整个批次的行数；不填数字时随微批次数增长。</translation>
    </message>
    <message>
        <source>Run</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Run GPipe, then 1F1B</source>
        <translation>先运行 GPipe，再运行 1F1B</translation>
    </message>
    <message>
        <source>Run every value, in random order, with the other settings of the form.</source>
        <translation>以随机顺序运行每个值，其余设置取自表单。</translation>
    </message>
    <message>
        <source>Run once: the costs come from its calibration.</source>
        <translation>运行一次：开销取自其校准。</translation>
    </message>
    <message>
        <source>Run query</source>
        <translation>运行查询</translation>
    </message>
    <message>
        <source>Run starts it afresh.</source>
        <translation>按“运行”会重新启动它。</translation>
    </message>
    <message>
        <source>Run sweep</source>
        <translation>运行扫描</translation>
    </message>
    <message>
        <source>Run the query (Ctrl+Enter).</source>
        <translation>运行查询 (Ctrl+Enter)。</translation>
    </message>
    <message>
        <source>Run these too, with the same settings, for reference.</source>
        <translation>同时以相同设置运行这些策略，作为参照。</translation>
    </message>
    <message>
        <source>Run this</source>
        <translation>运行此项</translation>
    </message>
    <message>
        <source>Run what the form says.</source>
        <translation>运行表单中的设置。</translation>
    </message>
    <message>
        <source>Run {letter}</source>
        <translation>运行 {letter}</translation>
    </message>
    <message>
        <source>Run {name} has no whole step to compare yet.</source>
        <translation>运行 {name} 尚无可比较的完整步。</translation>
    </message>
    <message>
        <source>Running {what}</source>
        <translation>正在运行 {what}</translation>
    </message>
    <message>
        <source>Runs</source>
        <translation>运行</translation>
    </message>
    <message>
        <source>Runs a training step in parallel on this machine&apos;s devices and shows what every device does, when it waits, and why.</source>
        <translation>在本机设备上并行运行训练步，并显示每个设备做什么、何时等待及其原因。</translation>
    </message>
    <message>
        <source>Runs of this sitting</source>
        <translation>本次会话的运行</translation>
    </message>
    <message>
        <source>Runs to compare with</source>
        <translation>可供比较的运行</translation>
    </message>
    <message>
        <source>SAMPLE RECORDINGS</source>
        <translation>示例录制文件</translation>
    </message>
    <message>
        <source>SELECT … FROM {tables}. Ctrl+Enter runs the query.</source>
        <translation>SELECT … FROM {tables}。Ctrl+Enter 运行查询。</translation>
    </message>
    <message>
        <source>SQL</source>
        <translation>SQL</translation>
    </message>
    <message>
        <source>SQL needs DuckDB: pip install &apos;bubblescope[sql]&apos;</source>
        <translation>SQL 需要 DuckDB：pip install &apos;bubblescope[sql]&apos;</translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation>另存为 CSV…</translation>
    </message>
    <message>
        <source>Save costs</source>
        <translation>保存开销</translation>
    </message>
    <message>
        <source>Save figure</source>
        <translation>保存图</translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation>保存图片</translation>
    </message>
    <message>
        <source>Save recording</source>
        <translation>保存录制文件</translation>
    </message>
    <message>
        <source>Save recording…</source>
        <translation>保存录制文件…</translation>
    </message>
    <message>
        <source>Save spans</source>
        <translation>保存跨度</translation>
    </message>
    <message>
        <source>Save table</source>
        <translation>保存表格</translation>
    </message>
    <message>
        <source>Save the run that is shown as a recording.</source>
        <translation>将所示的运行保存为录制文件。</translation>
    </message>
    <message>
        <source>Save the runs in a folder</source>
        <translation>将运行保存到文件夹</translation>
    </message>
    <message>
        <source>Saved {count} spans as {name}.</source>
        <translation>已将 {count} 个跨度保存为 {name}。</translation>
    </message>
    <message>
        <source>Saved {name}.</source>
        <translation>已保存 {name}。</translation>
    </message>
    <message>
        <source>Save…</source>
        <translation>保存…</translation>
    </message>
    <message>
        <source>Saving {name}…</source>
        <translation>正在保存 {name}…</translation>
    </message>
    <message>
        <source>Say how many devices a node has, where their names do not tell.</source>
        <translation>设备名称未表明时，指定一个节点有多少个设备。</translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation>分发</translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>Schedule: {name}</source>
        <translation>调度：{name}</translation>
    </message>
    <message>
        <source>Scroll the lanes.</source>
        <translation>滚动通道。</translation>
    </message>
    <message>
        <source>Search</source>
        <translation>搜索</translation>
    </message>
    <message>
        <source>Search no further</source>
        <translation>停止搜索</translation>
    </message>
    <message>
        <source>Search…</source>
        <translation>搜索…</translation>
    </message>
    <message>
        <source>Seed</source>
        <translation>种子</translation>
    </message>
    <message>
        <source>Select a range of another program&apos;s trace to explain it.</source>
        <translation>选择其他程序轨迹的一个范围以解释它。</translation>
    </message>
    <message>
        <source>Select a range of time over all lanes.</source>
        <translation>选择所有通道上的一段时间。</translation>
    </message>
    <message>
        <source>Select a range of time over the lanes that it touches, and count it.</source>
        <translation>选择所经过通道上的一段时间，并进行统计。</translation>
    </message>
    <message>
        <source>Select a range, a span or an idle gap to mark it.</source>
        <translation>选择一个范围、跨度或空闲间隙进行标记。</translation>
    </message>
    <message>
        <source>Select a span in each run first, then align here.</source>
        <translation>请先在每个运行中选择一个跨度，再在此对齐。</translation>
    </message>
    <message>
        <source>Select a span or an idle gap.</source>
        <translation>选择一个跨度或空闲间隙。</translation>
    </message>
    <message>
        <source>Select and fit the longest idle gap on screen; again, the next longest.</source>
        <translation>选中屏幕上最长的空闲间隙并使其适应视图；再按一次，转到次长的。</translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation>取消选择</translation>
    </message>
    <message>
        <source>Select the next span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation>选中运行 B 的通道上的下一个跨度；运行 A 的选择不变。</translation>
    </message>
    <message>
        <source>Select the next span on the lane.</source>
        <translation>选中该通道上的下一个跨度。</translation>
    </message>
    <message>
        <source>Select the next span that was found.</source>
        <translation>选中找到的下一个跨度。</translation>
    </message>
    <message>
        <source>Select the previous span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation>选中运行 B 的通道上的上一个跨度；运行 A 的选择不变。</translation>
    </message>
    <message>
        <source>Select the previous span on the lane.</source>
        <translation>选中该通道上的上一个跨度。</translation>
    </message>
    <message>
        <source>Select the same task in the next step.</source>
        <translation>选择下一步中的同一任务。</translation>
    </message>
    <message>
        <source>Select the same task in the step before.</source>
        <translation>选择上一步中的同一任务。</translation>
    </message>
    <message>
        <source>Select the span before that was found.</source>
        <translation>选中找到的上一个跨度。</translation>
    </message>
    <message>
        <source>Select the span that waited for the selected one.</source>
        <translation>选中等待所选跨度的跨度。</translation>
    </message>
    <message>
        <source>Select the time that is visible over all lanes, and count it.</source>
        <translation>选择所有通道上的可见时间，并进行统计。</translation>
    </message>
    <message>
        <source>Select visible range</source>
        <translation>选择可见范围</translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation>序列</translation>
    </message>
    <message>
        <source>Settings</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>Settings of both</source>
        <translation>两者的设置</translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation>该运行的设置</translation>
    </message>
    <message>
        <source>Settings that are seldom changed.</source>
        <translation>很少更改的设置。</translation>
    </message>
    <message>
        <source>Several stages on each lane, all micro-batches through each in turn.</source>
        <translation>每个通道有多个阶段，所有微批次依次通过每个阶段。</translation>
    </message>
    <message>
        <source>Share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>Share of each step in which a lane is idle</source>
        <translation>每步中通道空闲的占比</translation>
    </message>
    <message>
        <source>Shares of the critical path</source>
        <translation>关键路径的构成比例</translation>
    </message>
    <message>
        <source>Shift + click</source>
        <translation>Shift + 单击</translation>
    </message>
    <message>
        <source>Shift + wheel</source>
        <translation>Shift + 滚轮</translation>
    </message>
    <message>
        <source>Show all</source>
        <translation>全部显示</translation>
    </message>
    <message>
        <source>Show every group as one row.</source>
        <translation>将每个分组显示为一行。</translation>
    </message>
    <message>
        <source>Show every key and what the mouse does.</source>
        <translation>显示所有按键及鼠标操作。</translation>
    </message>
    <message>
        <source>Show every lane.</source>
        <translation>显示所有通道。</translation>
    </message>
    <message>
        <source>Show it without sharing, on {lanes} virtual lanes</source>
        <translation>在 {lanes} 个虚拟通道上显示，不共享核心</translation>
    </message>
    <message>
        <source>Show large</source>
        <translation>放大显示</translation>
    </message>
    <message>
        <source>Show less time in more detail.</source>
        <translation>以更多细节显示较短时间。</translation>
    </message>
    <message>
        <source>Show more time.</source>
        <translation>显示更长时间。</translation>
    </message>
    <message>
        <source>Show only spans that are</source>
        <translation>只显示以下跨度</translation>
    </message>
    <message>
        <source>Show only the lanes whose names contain some text; * stands for anything.</source>
        <translation>只显示名称包含指定文本的通道；* 代表任意内容。</translation>
    </message>
    <message>
        <source>Show samples, things to try and recent files.</source>
        <translation>显示示例、可尝试的内容和最近的文件。</translation>
    </message>
    <message>
        <source>Show the blocks inside forwards and backwards, where they were recorded.</source>
        <translation>显示前向和反向中的块（有录制时）。</translation>
    </message>
    <message>
        <source>Show the counters of an imported trace, below the lanes of their process.</source>
        <translation>在所属进程的通道下方显示导入追踪的计数器。</translation>
    </message>
    <message>
        <source>Show the lanes whose names contain this; * stands for anything. Esc shows all.</source>
        <translation>只显示名称包含此文本的通道；* 代表任意内容。Esc 显示全部。</translation>
    </message>
    <message>
        <source>Show the mark in the timeline. (Return)</source>
        <translation>在时间线中显示该标记。(Return)</translation>
    </message>
    <message>
        <source>Show the next open run.</source>
        <translation>显示下一个打开的运行。</translation>
    </message>
    <message>
        <source>Show the open run before.</source>
        <translation>显示上一个打开的运行。</translation>
    </message>
    <message>
        <source>Show the predicted step in the timeline, as a run of the list.</source>
        <translation>在时间线中显示预测的步，作为列表中的一个运行。</translation>
    </message>
    <message>
        <source>Show the prediction below each lane, where there is one.</source>
        <translation>在每个通道下方显示预测（如有）。</translation>
    </message>
    <message>
        <source>Show the run alone again.</source>
        <translation>重新只显示该运行。</translation>
    </message>
    <message>
        <source>Show the steps of a training job of your own live, as they happen.</source>
        <translation>实时显示您自己的训练作业的各步。</translation>
    </message>
    <message>
        <source>Show the time of day of the run, where its recording tells it.</source>
        <translation>显示运行时的钟点（若其录制文件有记载）。</translation>
    </message>
    <message>
        <source>Show the window in English.</source>
        <translation>以英语显示窗口。</translation>
    </message>
    <message>
        <source>Show the window in Korean.</source>
        <translation>以韩语显示窗口。</translation>
    </message>
    <message>
        <source>Show the window in Simplified Chinese.</source>
        <translation>以简体中文显示窗口。</translation>
    </message>
    <message>
        <source>Show what each lane holds in memory, below it.</source>
        <translation>在每个通道下方显示其内存占用。</translation>
    </message>
    <message>
        <source>Show why, from the ideal step to the measured one.</source>
        <translation>显示原因，从理想步到实测步。</translation>
    </message>
    <message>
        <source>Show {blocking} in the timeline.</source>
        <translation>在时间线中显示 {blocking}。</translation>
    </message>
    <message>
        <source>Show {run}</source>
        <translation>显示 {run}</translation>
    </message>
    <message>
        <source>Since the run&apos;s start</source>
        <translation>从运行开始起</translation>
    </message>
    <message>
        <source>Since the step</source>
        <translation>从该步起</translation>
    </message>
    <message>
        <source>Single lane</source>
        <translation>单通道</translation>
    </message>
    <message>
        <source>Slide, 16:9</source>
        <translation>幻灯片，16:9</translation>
    </message>
    <message>
        <source>Slow kind</source>
        <translation>慢速类型</translation>
    </message>
    <message>
        <source>Slow lane</source>
        <translation>慢速通道</translation>
    </message>
    <message>
        <source>Slow link</source>
        <translation>慢速链路</translation>
    </message>
    <message>
        <source>Slower by</source>
        <translation>变慢</translation>
    </message>
    <message>
        <source>Some ways are left out: {missing}.</source>
        <translation>部分方式已略去：{missing}。</translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation>排序依据</translation>
    </message>
    <message>
        <source>Sort by a column; a click on its head does so too.</source>
        <translation>按某一列排序；点击列标题也可排序。</translation>
    </message>
    <message>
        <source>Spans</source>
        <translation>跨度</translation>
    </message>
    <message>
        <source>Spans of the step are missing: its path is not known.</source>
        <translation>该步缺少跨度：其路径未知。</translation>
    </message>
    <message>
        <source>Spans of which some part lies in the range.</source>
        <translation>有一部分落在范围内的跨度。</translation>
    </message>
    <message>
        <source>Spans that take twice as long as the same task&apos;s median</source>
        <translation>时长为同一任务中位数两倍的跨度</translation>
    </message>
    <message>
        <source>Speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>Split (tutorial)</source>
        <translation>拆分（教程）</translation>
    </message>
    <message>
        <source>Split size</source>
        <translation>拆分大小</translation>
    </message>
    <message>
        <source>Stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Stage borders</source>
        <translation>阶段边界</translation>
    </message>
    <message>
        <source>Stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>Stages in turn, one works at a time.</source>
        <translation>各阶段依次进行，每次只有一个工作。</translation>
    </message>
    <message>
        <source>Stages of each device, for schedules that give it several.</source>
        <translation>每个设备的阶段数，用于给设备分配多个阶段的调度。</translation>
    </message>
    <message>
        <source>Stages of each lane, for schedules that give it several.</source>
        <translation>每个通道的阶段数，用于给通道分配多个阶段的调度。</translation>
    </message>
    <message>
        <source>Stages overlap on micro-batches.</source>
        <translation>各阶段在微批次上重叠执行。</translation>
    </message>
    <message>
        <source>Stages there and back over the lanes, no waiting inside a lane.</source>
        <translation>阶段在通道上往返排布，通道内部无需等待。</translation>
    </message>
    <message>
        <source>Stages there and back, each forward overlapped with a backward.</source>
        <translation>阶段往返排布，每个前向与一个反向重叠。</translation>
    </message>
    <message>
        <source>Start to start</source>
        <translation>起点到起点</translation>
    </message>
    <message>
        <source>State</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation>统计</translation>
    </message>
    <message>
        <source>Statistics of the range</source>
        <translation>范围统计</translation>
    </message>
    <message>
        <source>Step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Step before</source>
        <translation>上一步</translation>
    </message>
    <message>
        <source>Step of run {letter}</source>
        <translation>运行 {letter} 的步</translation>
    </message>
    <message>
        <source>Step {step}.</source>
        <translation>步 {step}。</translation>
    </message>
    <message>
        <source>Steps</source>
        <translation>步</translation>
    </message>
    <message>
        <source>Steps before the measured ones; the first steps are slow.</source>
        <translation>实测步之前的步；最初几步较慢。</translation>
    </message>
    <message>
        <source>Steps beside their loss</source>
        <translation>各步及其损失</translation>
    </message>
    <message>
        <source>Steps left out because not every rank has told them: {count}.</source>
        <translation>因并非每个 rank 都已报告而略去的步：{count}。</translation>
    </message>
    <message>
        <source>Steps or times</source>
        <translation>步或时间</translation>
    </message>
    <message>
        <source>Steps or times…</source>
        <translation>步或时间…</translation>
    </message>
    <message>
        <source>Steps that are measured.</source>
        <translation>进行测量的步。</translation>
    </message>
    <message>
        <source>Stop</source>
        <translation>停止</translation>
    </message>
    <message>
        <source>Stop counting the range.</source>
        <translation>停止统计该范围。</translation>
    </message>
    <message>
        <source>Stop listening</source>
        <translation>停止监听</translation>
    </message>
    <message>
        <source>Stop predicting.</source>
        <translation>停止预测。</translation>
    </message>
    <message>
        <source>Stop query</source>
        <translation>停止查询</translation>
    </message>
    <message>
        <source>Stop sweep</source>
        <translation>停止扫描</translation>
    </message>
    <message>
        <source>Stop the run; what was recorded is kept.</source>
        <translation>停止运行；已录制的内容会保留。</translation>
    </message>
    <message>
        <source>Stopped.</source>
        <translation>已停止。</translation>
    </message>
    <message>
        <source>Stopped; what was recorded is kept.</source>
        <translation>已停止；已录制的内容会保留。</translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>Strategy: {name}</source>
        <translation>策略：{name}</translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation>扫描</translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation>扫描…</translation>
    </message>
    <message>
        <source>THREE THINGS TO TRY</source>
        <translation>三件可尝试的事</translation>
    </message>
    <message>
        <source>Table (*.csv *.parquet)</source>
        <translation>表格 (*.csv *.parquet)</translation>
    </message>
    <message>
        <source>Table of spans</source>
        <translation>跨度表</translation>
    </message>
    <message>
        <source>Table…</source>
        <translation>表格…</translation>
    </message>
    <message>
        <source>Take back what was moved here.</source>
        <translation>撤销在此所做的移动。</translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation>从列表中移除</translation>
    </message>
    <message>
        <source>Take the last zoom, pan, fit or change of the lanes back.</source>
        <translation>撤销上一次缩放、平移、适应或通道更改。</translation>
    </message>
    <message>
        <source>Take the mark away; Ctrl+Z brings it back. (Del)</source>
        <translation>移除该标记；Ctrl+Z 可恢复。(Del)</translation>
    </message>
    <message>
        <source>Take the range for a step: its idle time by cause, and what can be compared.</source>
        <translation>将此范围作为一步：按原因列出空闲时间，并可比较。</translation>
    </message>
    <message>
        <source>Take the selected range of another program&apos;s trace for a step, and explain it.</source>
        <translation>将其他程序轨迹中所选范围作为一步并解释。</translation>
    </message>
    <message>
        <source>Take this file off the list.</source>
        <translation>将此文件从列表中移除。</translation>
    </message>
    <message>
        <source>Take what training jobs stream to this address.</source>
        <translation>接收训练作业发送到此地址的内容。</translation>
    </message>
    <message>
        <source>Task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>Tasks of the predicted step.</source>
        <translation>预测步的任务。</translation>
    </message>
    <message>
        <source>Tasks take {task}; the host, which starts them, takes longer: that costs {loss} ({share}).</source>
        <translation>任务耗时 {task}；启动它们的主机耗时更长：这损失了 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Tasks that compute.</source>
        <translation>进行计算的任务。</translation>
    </message>
    <message>
        <source>Tasks that move data between two lanes, or to or from one.</source>
        <translation>在两个通道之间移动数据，或将数据移入、移出某个通道的任务。</translation>
    </message>
    <message>
        <source>Tasks that overlap</source>
        <translation>重叠的任务</translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation>张量并行</translation>
    </message>
    <message>
        <source>Text</source>
        <translation>文本</translation>
    </message>
    <message>
        <source>The bubble by the literature&apos;s formula, where there is one.</source>
        <translation>按文献公式计算的气泡（如有公式）。</translation>
    </message>
    <message>
        <source>The duration of the longest span.</source>
        <translation>最长跨度的时长。</translation>
    </message>
    <message>
        <source>The engine cannot be started: {reason}.</source>
        <translation>引擎无法启动：{reason}。</translation>
    </message>
    <message>
        <source>The engine refused the run without saying why.</source>
        <translation>引擎拒绝了该运行，但未说明原因。</translation>
    </message>
    <message>
        <source>The file was cut: it is shown up to its last whole event.</source>
        <translation>文件被截断：显示到最后一个完整事件为止。</translation>
    </message>
    <message>
        <source>The first block of every stage but the first, counted from 0, such as 3,7.</source>
        <translation>除第一个阶段外，每个阶段的第一个块，从 0 起计数，例如 3,7。</translation>
    </message>
    <message>
        <source>The first whole step is on its way.</source>
        <translation>第一个完整的步即将到来。</translation>
    </message>
    <message>
        <source>The forward pass by pieces, one loss and one backward over all.</source>
        <translation>前向分块进行，整体计算一次损失和一次反向。</translation>
    </message>
    <message>
        <source>1 event had not ended when the next of its row began: it is shown up to there, shorter by less than 1 %.</source>
        <translation>1 个事件在同一行的下一个事件开始时尚未结束：显示到该处为止，缩短不到 1%。</translation>
    </message>
    <message>
        <source>--balance: {a} cuts by --borders or equal parameters</source>
        <translation>--balance：{a} 按 --borders 或相等的参数量切分</translation>
    </message>
    <message>
        <source>--blocks: {a} records the blocks by itself</source>
        <translation>--blocks：{a} 会自行记录各块</translation>
    </message>
    <message>
        <source>--devices {a}: {b} is for real lanes, such as 2xcpu</source>
        <translation>--devices {a}：{b} 用于真实通道，例如 2xcpu</translation>
    </message>
    <message>
        <source>--gradients {a}: {b} keeps none</source>
        <translation>--gradients {a}：{b} 不保存梯度</translation>
    </message>
    <message>
        <source>--launcher torchrun: `run` and the window start it, one job at a time</source>
        <translation>--launcher torchrun：由 `run` 和窗口启动，一次一个作业</translation>
    </message>
    <message>
        <source>--nnodes {a}: use a number of hosts that divides {b} lanes</source>
        <translation>--nnodes {a}：请使用能整除 {b} 条通道的主机数</translation>
    </message>
    <message>
        <source>--node-rank {a}: use 0 to {b}</source>
        <translation>--node-rank {a}：请使用 0 到 {b}</translation>
    </message>
    <message>
        <source>--rdzv-endpoint {a}: use HOST:PORT of node 0</source>
        <translation>--rdzv-endpoint {a}：请使用节点 0 的 HOST:PORT</translation>
    </message>
    <message>
        <source>--record: several hosts need a FOLDER that all see, or what `listen` shows</source>
        <translation>--record：多台主机需要一个都能访问的 FOLDER，或 `listen` 显示的地址</translation>
    </message>
    <message>
        <source>--schedule {a}: {b} runs what torch has, {c}</source>
        <translation>--schedule {a}：{b} 运行 torch 自带的调度：{c}</translation>
    </message>
    <message>
        <source>--strategy {a}: {b} runs {c}</source>
        <translation>--strategy {a}：{b} 可运行 {c}</translation>
    </message>
    <message>
        <source>--warmup 0: {a} needs 1 or more, as the recorder&apos;s first step is no measure</source>
        <translation>--warmup 0：{a} 需要 1 或更多，因为记录器的第一步不作为测量</translation>
    </message>
    <message>
        <source>99.9 ms</source>
        <translation>99.9 ms</translation>
    </message>
    <message>
        <source>99.9 to 99.9 ms</source>
        <translation>99.9 至 99.9 ms</translation>
    </message>
    <message>
        <source>All-to-all</source>
        <translation>All-to-all</translation>
    </message>
    <message>
        <source>From the least to the most that a step is expected to take: as far as measured costs differ from each other, and the prediction of the run that was made from its step.</source>
        <translation>一步预计最短到最长的用时：取决于实测成本之间的差异，以及已运行的那一次的预测与其实测步时的差异。</translation>
    </message>
    <message>
        <source>In step {step} {place} took {taken} for {task} instead of {usual}: that cost {loss} ({share}) of this step.</source>
        <translation>在第 {step} 步，{place} 执行 {task} 用了 {taken}，通常为 {usual}：损失此步的 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Lanes&apos; times scatter from step to step by more than the lanes differ: that costs {loss} ({share}).</source>
        <translation>各通道的时间在步与步之间的波动大于通道之间的差异：这会多花 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Launcher</source>
        <translation>启动方式</translation>
    </message>
    <message>
        <source>Predicted before this run: {step} ({range}). Measured: {measured} ({change}).</source>
        <translation>运行前的预测：{step}（{range}）。实测：{measured}（{change}）。</translation>
    </message>
    <message>
        <source>Predicted time of a step. ≈ marks micro-batches smaller or larger than all that were measured: their time is a guess, and they come last.</source>
        <translation>一步的预测用时。≈ 表示微批次比所有实测过的都小或都大：其用时只是猜测，排在最后。</translation>
    </message>
    <message>
        <source>Range</source>
        <translation>范围</translation>
    </message>
    <message>
        <source>Tasks take {task}; lanes idle for {loss} ({share}) besides, and the trace does not tell what for.</source>
        <translation>任务用时 {task}；此外通道空闲 {loss}（{share}），跟踪中没有说明原因。</translation>
    </message>
    <message>
        <source>The first step is warm-up: it took {longest}, later ones {usual}.</source>
        <translation>第一步是预热：用时 {longest}，之后的步为 {usual}。</translation>
    </message>
    <message>
        <source>The first {n} steps are warm-up: they took up to {longest}, later ones {usual}.</source>
        <translation>前 {n} 步是预热：最长用时 {longest}，之后的步为 {usual}。</translation>
    </message>
    <message>
        <source>The gradients of block {n} were there.</source>
        <translation>块 {n} 的梯度已就绪。</translation>
    </message>
    <message>
        <source>The lane is in a collective that its slowest rank has not reached.</source>
        <translation>该通道处于集合通信中，而最慢的 rank 尚未到达。</translation>
    </message>
    <message>
        <source>The lane or device is idle though its next task had been launched, or neither a launch of it nor what it waits for is known: the trace does not tell why.</source>
        <translation>通道或设备空闲，尽管下一个任务已启动，或其启动和所等待的内容都未知：跟踪中没有说明原因。</translation>
    </message>
    <message>
        <source>The lane that computes longer than the others.</source>
        <translation>计算时间比其他通道更长的通道。</translation>
    </message>
    <message>
        <source>The lanes are idle for {share} of the step, most of it ({part}) for: {cause}.</source>
        <translation>各通道在该步 {share} 的时间内空闲，其中大部分（{part}）原因为：{cause}。</translation>
    </message>
    <message>
        <source>The lanes are never idle.</source>
        <translation>各通道从不空闲。</translation>
    </message>
    <message>
        <source>The lanes are starting; bars come with their first tasks.</source>
        <translation>通道正在启动；条形会随其首批任务出现。</translation>
    </message>
    <message>
        <source>The longest spans</source>
        <translation>最长的跨度</translation>
    </message>
    <message>
        <source>The main reason of the difference</source>
        <translation>差异的主要原因</translation>
    </message>
    <message>
        <source>The mean duration of whole spans.</source>
        <translation>完整跨度的平均时长。</translation>
    </message>
    <message>
        <source>The median step, or the last steps.</source>
        <translation>中位数步，或最后几步。</translation>
    </message>
    <message>
        <source>The model that is trained: a built-in one, or a Python file of your own.</source>
        <translation>要训练的模型：内置模型，或您自己的 Python 文件。</translation>
    </message>
    <message>
        <source>The most that a lane holds at a time, each of one stage and micro-batch.</source>
        <translation>一个通道同时持有的最大数量，每个对应一个阶段和微批次。</translation>
    </message>
    <message>
        <source>The most that a lane holds: an estimate from the model and the plan.</source>
        <translation>一个通道的最大占用：根据模型和计划估算。</translation>
    </message>
    <message>
        <source>The most that each lane held</source>
        <translation>每个通道占用的最大值</translation>
    </message>
    <message>
        <source>The next task had all that it needed, but came late.</source>
        <translation>下一个任务已具备所需的一切，但来得太晚。</translation>
    </message>
    <message>
        <source>The next task was launched, but its lane had not begun it.</source>
        <translation>下一个任务已启动，但其通道尚未开始执行。</translation>
    </message>
    <message>
        <source>The number format of parameters and activations.</source>
        <translation>参数和激活的数值格式。</translation>
    </message>
    <message>
        <source>The order in which tasks need each other costs {loss} ({share}).</source>
        <translation>任务之间的依赖顺序损失了 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>The order of the step&apos;s passes, as if all took the same time.</source>
        <translation>该步各趟的顺序，假定全部耗时相同。</translation>
    </message>
    <message>
        <source>The predicted step appears here.</source>
        <translation>预测的步显示在此处。</translation>
    </message>
    <message>
        <source>The range is still being counted.</source>
        <translation>范围仍在统计中。</translation>
    </message>
    <message>
        <source>The report has {n} of {all} measured steps: the median one and the last ones.</source>
        <translation>本报告含 {all} 个实测步中的 {n} 个：中位步和最后几步。</translation>
    </message>
    <message>
        <source>The run failed.</source>
        <translation>运行失败。</translation>
    </message>
    <message>
        <source>The run will measure the blocks, and cut where their times are balanced.</source>
        <translation>运行将测量各块，并在时间均衡处切分。</translation>
    </message>
    <message>
        <source>The same schedule on two cores at once: real copies, a real host between the tasks.</source>
        <translation>同一调度同时在两个核心上：真实的拷贝，任务之间有真实的主机。</translation>
    </message>
    <message>
        <source>The schedule (×2 is with two chunks a lane), or the strategy that has none.</source>
        <translation>调度（×2 表示每个通道两个块），或没有调度的策略。</translation>
    </message>
    <message>
        <source>The schedule says itself how many stages a lane holds.</source>
        <translation>该调度自行决定每个通道持有多少个阶段。</translation>
    </message>
    <message>
        <source>The step against that of the present settings, which is predicted alike.</source>
        <translation>该步与当前设置的步对比，后者以同样方式预测。</translation>
    </message>
    <message>
        <source>The step has more spans than the timeline has room for: it has the first {n}.</source>
        <translation>该步的跨度多于时间线所能容纳的数量：此处为前 {n} 个。</translation>
    </message>
    <message>
        <source>The step is not over: nothing is told yet of what the lane does next.</source>
        <translation>这一步尚未结束：还没有关于该通道接下来做什么的信息。</translation>
    </message>
    <message>
        <source>The step lacks spans: what looks idle may be work that was not told.</source>
        <translation>该步缺少跨度：看似空闲的时间可能是未上报的工作。</translation>
    </message>
    <message>
        <source>The sum of their parts in the range.</source>
        <translation>它们在范围内部分的总和。</translation>
    </message>
    <message>
        <source>The time axis.</source>
        <translation>时间轴。</translation>
    </message>
    <message>
        <source>The timeline does not show counters.</source>
        <translation>时间线不显示计数器。</translation>
    </message>
    <message>
        <source>The timeline has the first {n} of {all} lanes.</source>
        <translation>时间线含有 {all} 个通道中的前 {n} 个。</translation>
    </message>
    <message>
        <source>The timeline has the first {part} of {all}.</source>
        <translation>时间线含有 {all} 中最前面的 {part}。</translation>
    </message>
    <message>
        <source>The timeline has the last {n} of these {all} steps.</source>
        <translation>时间线含有这 {all} 步中的最后 {n} 步。</translation>
    </message>
    <message>
        <source>The timeline needs JavaScript; the tables below say the same in figures.</source>
        <translation>时间线需要 JavaScript；下面的表格以数字给出同样内容。</translation>
    </message>
    <message>
        <source>The tutorials&apos; 10-10-5 in two blocks.</source>
        <translation>教程中的 10-10-5，分为两个块。</translation>
    </message>
    <message>
        <source>The tutorials&apos; Linear(5, 2).</source>
        <translation>教程中的 Linear(5, 2)。</translation>
    </message>
    <message>
        <source>The whole batch on one lane, for reference.</source>
        <translation>整个批次在一个通道上，作为参照。</translation>
    </message>
    <message>
        <source>The whole run; click or drag to move the view.</source>
        <translation>整个运行；点击或拖动以移动视图。</translation>
    </message>
    <message>
        <source>Theme</source>
        <translation>主题</translation>
    </message>
    <message>
        <source>Then</source>
        <translation>然后</translation>
    </message>
    <message>
        <source>Then {task} begins.</source>
        <translation>然后 {task} 开始。</translation>
    </message>
    <message>
        <source>There are no marks: M sets one.</source>
        <translation>没有标记：按 M 设置一个。</translation>
    </message>
    <message>
        <source>There is no comparison to write yet.</source>
        <translation>还没有可写出的对比。</translation>
    </message>
    <message>
        <source>There is no file {name}.</source>
        <translation>没有文件 {name}。</translation>
    </message>
    <message>
        <source>There is no formula without a pipeline&apos;s schedule.</source>
        <translation>没有流水线调度就没有公式。</translation>
    </message>
    <message>
        <source>There is no other run yet: open a recording, or run something else.</source>
        <translation>还没有其他运行：请打开录制文件，或运行其他内容。</translation>
    </message>
    <message>
        <source>There is no prediction: {why}</source>
        <translation>没有预测：{why}</translation>
    </message>
    <message>
        <source>There is no run to ask: press Run, or open a recording.</source>
        <translation>没有可查询的运行：请按“运行”，或打开一个录制文件。</translation>
    </message>
    <message>
        <source>There is no run to compare yet: press Run, or open a recording.</source>
        <translation>还没有可对比的运行：请按“运行”，或打开录制文件。</translation>
    </message>
    <message>
        <source>There is no run to draw.</source>
        <translation>没有可绘制的运行。</translation>
    </message>
    <message>
        <source>There is no run to search: press Run, or open a recording.</source>
        <translation>没有可搜索的运行：请按“运行”，或打开录制文件。</translation>
    </message>
    <message>
        <source>There is no run to write yet: press Run, or open a recording.</source>
        <translation>还没有可写出的运行：请按“运行”，或打开录制文件。</translation>
    </message>
    <message>
        <source>There is not enough memory for this.</source>
        <translation>没有足够的内存完成此操作。</translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation>内存不足。</translation>
    </message>
    <message>
        <source>This address cannot be listened on. {reason}</source>
        <translation>无法在此地址监听。{reason}</translation>
    </message>
    <message>
        <source>This cannot run here. {reason}</source>
        <translation>无法在此运行。{reason}</translation>
    </message>
    <message>
        <source>This could not be done: {name}: {why}</source>
        <translation>无法完成：{name}：{why}</translation>
    </message>
    <message>
        <source>This recording does not tell its settings: another program made it.</source>
        <translation>此录制文件未记载其设置：它由其他程序生成。</translation>
    </message>
    <message>
        <source>This run</source>
        <translation>此运行</translation>
    </message>
    <message>
        <source>This run cannot be saved: there is no room for it on the disk. {reason}</source>
        <translation>无法保存此运行：磁盘空间不足。{reason}</translation>
    </message>
    <message>
        <source>This run has no whole step to take costs from. Run once: the costs come from its calibration.</source>
        <translation>此运行没有可提取开销的完整步。请运行一次：开销来自其校准。</translation>
    </message>
    <message>
        <source>This run has recorded no spans.</source>
        <translation>此运行没有录制到跨度。</translation>
    </message>
    <message>
        <source>This run has recorded no spans: there is nothing to export.</source>
        <translation>此运行没有录制任何跨度：没有可导出的内容。</translation>
    </message>
    <message>
        <source>This step has {n} tasks: explaining it takes some seconds.</source>
        <translation>该步有 {n} 个任务：解释需要几秒钟。</translation>
    </message>
    <message>
        <source>This step has {n} tasks: it is explained when the run has ended.</source>
        <translation>该步有 {n} 个任务：将在运行结束后解释。</translation>
    </message>
    <message>
        <source>This strategy does not cut the model into stages.</source>
        <translation>此策略不将模型切分为阶段。</translation>
    </message>
    <message>
        <source>This trace says nothing of training steps.</source>
        <translation>此轨迹不包含训练步的信息。</translation>
    </message>
    <message>
        <source>This version has no strategy {name}: its settings cannot be used.</source>
        <translation>此版本没有策略 {name}：无法使用其设置。</translation>
    </message>
    <message>
        <source>Time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>Time in run</source>
        <translation>运行内时间</translation>
    </message>
    <message>
        <source>Time in which the lane communicates and does not compute.</source>
        <translation>通道在通信而不计算的时间。</translation>
    </message>
    <message>
        <source>Time in which the lane computes.</source>
        <translation>通道计算的时间。</translation>
    </message>
    <message>
        <source>Time in which the lane does neither.</source>
        <translation>通道既不计算也不通信的时间。</translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation>钟点</translation>
    </message>
    <message>
        <source>Time of each kind on each lane</source>
        <translation>每个通道上各类型的时间</translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Timeline of run B</source>
        <translation>运行 B 的时间线</translation>
    </message>
    <message>
        <source>Timeline of {run}</source>
        <translation>{run} 的时间线</translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation>时间线</translation>
    </message>
    <message>
        <source>Title</source>
        <translation>标题</translation>
    </message>
    <message>
        <source>Told apart also without colour.</source>
        <translation>不靠颜色也能区分。</translation>
    </message>
    <message>
        <source>Tools</source>
        <translation>工具</translation>
    </message>
    <message>
        <source>Torch&apos;s own engine does not have this strategy.</source>
        <translation>torch 自己的引擎没有这种策略。</translation>
    </message>
    <message>
        <source>Torch&apos;s own engine has no virtual lanes.</source>
        <translation>torch 自己的引擎没有虚拟通道。</translation>
    </message>
    <message>
        <source>ToyModel</source>
        <translation>ToyModel</translation>
    </message>
    <message>
        <source>Transfers between lanes {low} and {high} take {factor} times as long as the same over other links: that costs {loss} ({share}).</source>
        <translation>通道 {low} 和 {high} 之间的传输耗时是同样的传输在其他链路上的 {factor} 倍：这损失了 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Try width {width}</source>
        <translation>尝试宽度 {width}</translation>
    </message>
    <message>
        <source>Tutorial</source>
        <translation>教程</translation>
    </message>
    <message>
        <source>Two columns, 178 mm</source>
        <translation>双栏，178 mm</translation>
    </message>
    <message>
        <source>Two lanes between which transfers take longer by a factor, such as 1-2:4; repeatable.</source>
        <translation>两个通道，其间的传输耗时按倍数变长，例如 1-2:4；可重复。</translation>
    </message>
    <message>
        <source>Two replicas of the model, one down and one up the lanes.</source>
        <translation>模型的两个副本，一个沿通道向下，一个向上。</translation>
    </message>
    <message>
        <source>Two short pipelines on 4 lanes, then one above the other on one axis.</source>
        <translation>4 个通道上的两条短流水线，然后上下排列在同一条轴上。</translation>
    </message>
    <message>
        <source>Type</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>Type a few letters of what you want to do</source>
        <translation>输入要做的操作的几个字母</translation>
    </message>
    <message>
        <source>Type a query, or choose an example.</source>
        <translation>请输入查询，或选择一个示例。</translation>
    </message>
    <message>
        <source>Use the language of the system, if the window speaks it.</source>
        <translation>使用系统的语言（如果窗口支持）。</translation>
    </message>
    <message>
        <source>Use this run&apos;s settings</source>
        <translation>使用此运行的设置</translation>
    </message>
    <message>
        <source>Use virtual lanes</source>
        <translation>使用虚拟通道</translation>
    </message>
    <message>
        <source>Use {count} virtual lanes</source>
        <translation>使用 {count} 个虚拟通道</translation>
    </message>
    <message>
        <source>Values</source>
        <translation>取值</translation>
    </message>
    <message>
        <source>Values with commas between them, or semicolons where a value has commas; default stands for what is done without the option.</source>
        <translation>取值之间用逗号分隔；若取值本身含逗号，则用分号分隔。default 表示不设该选项时的做法。</translation>
    </message>
    <message>
        <source>Vary</source>
        <translation>变化的选项</translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation>结论</translation>
    </message>
    <message>
        <source>Verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>View</source>
        <translation>视图</translation>
    </message>
    <message>
        <source>Waited for</source>
        <translation>等待对象</translation>
    </message>
    <message>
        <source>Waited for {what}.</source>
        <translation>等待了 {what}。</translation>
    </message>
    <message>
        <source>Waiting for the next batch of data costs {loss} ({share}).</source>
        <translation>等待下一批数据耗费 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation>警告和错误</translation>
    </message>
    <message>
        <source>Way</source>
        <translation>方式</translation>
    </message>
    <message>
        <source>Ways predicted</source>
        <translation>已预测的方式</translation>
    </message>
    <message>
        <source>Ways to run the model, by predicted step time</source>
        <translation>运行模型的方式，按预测的步时间排列</translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation>网页 (*.html)</translation>
    </message>
    <message>
        <source>Web page, 190 mm</source>
        <translation>网页，190 mm</translation>
    </message>
    <message>
        <source>What contributes to the difference</source>
        <translation>造成差异的因素</translation>
    </message>
    <message>
        <source>What else is put in: those of the run, or others.</source>
        <translation>另外加入的内容：该运行的，或其他的。</translation>
    </message>
    <message>
        <source>What if</source>
        <translation>假设分析</translation>
    </message>
    <message>
        <source>What is asked</source>
        <translation>所提的问题</translation>
    </message>
    <message>
        <source>What is visible</source>
        <translation>可见部分</translation>
    </message>
    <message>
        <source>What is wrong with the colours</source>
        <translation>颜色有什么问题</translation>
    </message>
    <message>
        <source>What it adds to B&apos;s step: its mean over B&apos;s lanes less that over A&apos;s.</source>
        <translation>它给 B 的步增加的时间：其在 B 各通道上的均值减去在 A 各通道上的均值。</translation>
    </message>
    <message>
        <source>What it waited for</source>
        <translation>它等待了什么</translation>
    </message>
    <message>
        <source>What lies between virtual lanes: latency in us and GB/s, a link&apos;s name, or measured.</source>
        <translation>虚拟通道之间的链路：以 us 和 GB/s 表示的延迟和带宽、链路名称，或实测。</translation>
    </message>
    <message>
        <source>What moving data adds, where no computing hides it.</source>
        <translation>在没有计算掩盖时，移动数据所增加的时间。</translation>
    </message>
    <message>
        <source>What runs the lanes: this app&apos;s engine, or torchrun with torch&apos;s own one.</source>
        <translation>由什么运行各通道：本应用的引擎，或使用 torch 自己引擎的 torchrun。</translation>
    </message>
    <message>
        <source>What the blocks of a lane may hold; Balance keeps within it.</source>
        <translation>一个通道的块可占用的量；“均衡”不会超出它。</translation>
    </message>
    <message>
        <source>What the colours and patterns mean.</source>
        <translation>颜色和图案的含义。</translation>
    </message>
    <message>
        <source>What the job does after its update, before anything else of the next step.</source>
        <translation>作业在更新之后、下一步的其他任何工作之前所做的事。</translation>
    </message>
    <message>
        <source>What the lane with the most computing has above an even share.</source>
        <translation>计算最多的通道超出平均份额的部分。</translation>
    </message>
    <message>
        <source>What the median step took where this way was run.</source>
        <translation>运行过该方式时，中位步的用时。</translation>
    </message>
    <message>
        <source>What the order of the tasks adds, though nothing moves and nobody is late.</source>
        <translation>任务顺序所增加的时间，尽管没有数据移动，也没有谁迟到。</translation>
    </message>
    <message>
        <source>What the stages of a lane may hold at most, where measured times are balanced.</source>
        <translation>均衡实测时间时，一个通道的各阶段最多可持有的内存。</translation>
    </message>
    <message>
        <source>What the step takes.</source>
        <translation>该步的耗时。</translation>
    </message>
    <message>
        <source>What the tasks take: as in the run that is shown, or as a file says.</source>
        <translation>任务的耗时：与所显示的运行相同，或由文件给出。</translation>
    </message>
    <message>
        <source>What the tasks took longer than they were measured to cost before the run.</source>
        <translation>任务耗时超出运行前实测开销的部分。</translation>
    </message>
    <message>
        <source>What to call this run, in this sitting:</source>
        <translation>在本次会话中如何称呼此运行：</translation>
    </message>
    <message>
        <source>What to remember of this run, in this sitting:</source>
        <translation>在本次会话中要为此运行记下的内容：</translation>
    </message>
    <message>
        <source>What to run</source>
        <translation>要运行的内容</translation>
    </message>
    <message>
        <source>What updates the parameters.</source>
        <translation>更新参数的组件。</translation>
    </message>
    <message>
        <source>What waited for it</source>
        <translation>什么等待了它</translation>
    </message>
    <message>
        <source>What waiting for the next batch of data adds.</source>
        <translation>等待下一批数据所增加的时间。</translation>
    </message>
    <message>
        <source>What was recorded is kept; press Run to start afresh.</source>
        <translation>已录制的内容会保留；按“运行”重新开始。</translation>
    </message>
    <message>
        <source>What would help</source>
        <translation>可改进之处</translation>
    </message>
    <message>
        <source>What {schedule}&apos;s formula gives, by makespan, for this step&apos;s mean costs.</source>
        <translation>{schedule} 的公式按总时长对该步平均开销给出的结果。</translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation>滚轮</translation>
    </message>
    <message>
        <source>Wheel over the lanes&apos; names</source>
        <translation>在通道名称上滚动滚轮</translation>
    </message>
    <message>
        <source>Where the random parameters and data begin.</source>
        <translation>随机参数和数据的起点。</translation>
    </message>
    <message>
        <source>Which devices work, such as 2xcpu, cuda:0,cuda:1, 2xcuda:0 or 8xvirtual.</source>
        <translation>由哪些设备工作，例如 2xcpu、cuda:0,cuda:1、2xcuda:0 或 8xvirtual。</translation>
    </message>
    <message>
        <source>Which lines of the log are shown.</source>
        <translation>显示日志中的哪些行。</translation>
    </message>
    <message>
        <source>Which rows go to which lane appears here with the first step.</source>
        <translation>第一步到来时，此处显示哪些行分到哪个通道。</translation>
    </message>
    <message>
        <source>Which step is explained.</source>
        <translation>解释哪一步。</translation>
    </message>
    <message>
        <source>Which step of run {letter} is compared.</source>
        <translation>对比运行 {letter} 的哪一步。</translation>
    </message>
    <message>
        <source>Who came last to collectives</source>
        <translation>谁最后到达集合通信</translation>
    </message>
    <message>
        <source>Who waits for whom</source>
        <translation>谁在等待谁</translation>
    </message>
    <message>
        <source>Whole max</source>
        <translation>完整最大</translation>
    </message>
    <message>
        <source>Whole mean</source>
        <translation>完整平均</translation>
    </message>
    <message>
        <source>Whole p50</source>
        <translation>完整 p50</translation>
    </message>
    <message>
        <source>Whole p99</source>
        <translation>完整 p99</translation>
    </message>
    <message>
        <source>Whose durations the histogram shows.</source>
        <translation>直方图显示哪些内容的时长。</translation>
    </message>
    <message>
        <source>Why</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>Why a step takes as long as it does appears here with the first whole step: from the ideal step, rung by rung, to the measured one.</source>
        <translation>第一个完整的步到来时，此处显示一步为何耗时如此：从理想步逐级到实测步。</translation>
    </message>
    <message>
        <source>Why the lane is idle</source>
        <translation>通道空闲的原因</translation>
    </message>
    <message>
        <source>Why, as charts and lists</source>
        <translation>原因，以图表和列表显示</translation>
    </message>
    <message>
        <source>Width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>Width and height of every image in pixels.</source>
        <translation>每张图像的宽度和高度（像素）。</translation>
    </message>
    <message>
        <source>Widths are shares of the parameters; press Measure to see times and memory.</source>
        <translation>宽度为参数占比；按“测量”查看时间和内存。</translation>
    </message>
    <message>
        <source>Words below the picture.</source>
        <translation>图片下方的文字。</translation>
    </message>
    <message>
        <source>Work out the ladder and the idle time of this run.</source>
        <translation>计算此运行的阶梯和空闲时间。</translation>
    </message>
    <message>
        <source>Write a file for each rank, as PyTorch&apos;s profiler does, into a new folder.</source>
        <translation>像 PyTorch 的 profiler 那样，为每个 rank 写一个文件到新文件夹。</translation>
    </message>
    <message>
        <source>Write a mark&apos;s note.</source>
        <translation>编写标记的备注。</translation>
    </message>
    <message>
        <source>Write a page of HTML with pictures and tables of the run.</source>
        <translation>写出包含该运行图片和表格的 HTML 页面。</translation>
    </message>
    <message>
        <source>Write a row for each run as CSV.</source>
        <translation>将每个运行写成一行，存为 CSV。</translation>
    </message>
    <message>
        <source>Write all spans for Perfetto or chrome://tracing; why lanes wait is left out.</source>
        <translation>写出所有跨度供 Perfetto 或 chrome://tracing 使用；不含通道等待的原因。</translation>
    </message>
    <message>
        <source>Write all spans, or those that the table shows, a line each.</source>
        <translation>写出所有跨度，或表格所显示的跨度，每个一行。</translation>
    </message>
    <message>
        <source>Write another note. (F2)</source>
        <translation>编写另一条备注。(F2)</translation>
    </message>
    <message>
        <source>Write exactly the time that is visible as PNG, SVG or PDF.</source>
        <translation>将可见的时间段原样写出为 PNG、SVG 或 PDF。</translation>
    </message>
    <message>
        <source>Write it as PNG, SVG or PDF.</source>
        <translation>写出为 PNG、SVG 或 PDF。</translation>
    </message>
    <message>
        <source>Write the chart as PNG, SVG or PDF.</source>
        <translation>将图表写为 PNG、SVG 或 PDF。</translation>
    </message>
    <message>
        <source>Write the costs that are chosen to a JSON file.</source>
        <translation>将所选的开销写入 JSON 文件。</translation>
    </message>
    <message>
        <source>Write the median step as Chakra execution traces, one for each rank, into a new folder.</source>
        <translation>将中位步写成 Chakra 执行轨迹，每个 rank 一个，放入新文件夹。</translation>
    </message>
    <message>
        <source>Write what is seen of both runs as PNG, SVG or PDF, or a report as HTML.</source>
        <translation>将两个运行的可见内容写出为 PNG、SVG 或 PDF，或写出 HTML 报告。</translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation>正在写报告…</translation>
    </message>
    <message>
        <source>Writing the trace…</source>
        <translation>正在写轨迹…</translation>
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
        <translation>在指针处缩放。</translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation>放大</translation>
    </message>
    <message>
        <source>Zoom in to see each of them.</source>
        <translation>放大以逐个查看。</translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation>缩小</translation>
    </message>
    <message>
        <source>a CSV schedule cannot say {a}, a pass over all micro-batches at once</source>
        <translation>CSV 调度无法表示 {a}，即一次处理所有微批次的一趟</translation>
    </message>
    <message>
        <source>a block: 2, 0-5</source>
        <translation>块：2、0-5</translation>
    </message>
    <message>
        <source>a bucket: 1, 0|2</source>
        <translation>桶：1、0|2</translation>
    </message>
    <message>
        <source>a clock&apos;s uncertainty is no finite number</source>
        <translation>时钟的不确定度不是有限数</translation>
    </message>
    <message>
        <source>a lane&apos;s counter is out of bounds</source>
        <translation>某个通道的计数器超出范围</translation>
    </message>
    <message>
        <source>a lane&apos;s number or name: 2, 0-3, cpu*</source>
        <translation>通道的编号或名称：2、0-3、cpu*</translation>
    </message>
    <message>
        <source>a lane&apos;s steps go back in time</source>
        <translation>某个通道的步在时间上倒退</translation>
    </message>
    <message>
        <source>a list with {a}</source>
        <translation>含有 {a} 的列表</translation>
    </message>
    <message>
        <source>a mark ends at {a} ns, before it starts at {b} ns</source>
        <translation>某个标记在 {a} ns 结束，早于其开始时刻 {b} ns</translation>
    </message>
    <message>
        <source>a message has a negative size</source>
        <translation>有消息的字节数小于零</translation>
    </message>
    <message>
        <source>a message has {a} bytes: {b} are taken</source>
        <translation>有消息为 {a} 字节：最多接受 {b}</translation>
    </message>
    <message>
        <source>the metadata of a message is invalid</source>
        <translation>有消息对自身的描述不合理</translation>
    </message>
    <message>
        <source>a micro-batch</source>
        <translation>一个微批次</translation>
    </message>
    <message>
        <source>a micro-batch: 3, 2-5, 4-</source>
        <translation>微批次：3、2-5、4-</translation>
    </message>
    <message>
        <source>a name has more than {a} characters</source>
        <translation>名称超过 {a} 个字符</translation>
    </message>
    <message>
        <source>a plan follows the row about the imported trace</source>
        <translation>计划出现在对全部内容的说明之后</translation>
    </message>
    <message>
        <source>a quote is open; end the words that it begins with another &quot;</source>
        <translation>引号未闭合；请用另一个 &quot; 结束它所开始的词语</translation>
    </message>
    <message>
        <source>a rank&apos;s recording has ended: {a}</source>
        <translation>某个 rank 的记录已结束：{a}</translation>
    </message>
    <message>
        <source>a replica&apos;s share of {a} rows</source>
        <translation>一个副本分得的 {a} 行</translation>
    </message>
    <message>
        <source>a replica: 0, 1-</source>
        <translation>副本：0、1-</translation>
    </message>
    <message>
        <source>a row does not have exactly one note</source>
        <translation>某一行没有恰好一条记录</translation>
    </message>
    <message>
        <source>a run is under way: stop it first</source>
        <translation>有运行正在进行：请先停止它</translation>
    </message>
    <message>
        <source>a second rank {a} was refused: the first one is still connected</source>
        <translation>第二个 rank {a} 被拒绝：第一个仍处于连接状态</translation>
    </message>
    <message>
        <source>a span ends before it starts</source>
        <translation>某个跨度在开始之前结束</translation>
    </message>
    <message>
        <source>a span has no step</source>
        <translation>某个跨度没有步</translation>
    </message>
    <message>
        <source>a span is of a plan that the recording does not have</source>
        <translation>某个跨度所属的计划未给出</translation>
    </message>
    <message>
        <source>a span is of a task that its plan does not have</source>
        <translation>某个跨度所属的任务不在其计划中</translation>
    </message>
    <message>
        <source>a span&apos;s step is out of bounds</source>
        <translation>跨度的步超出范围</translation>
    </message>
    <message>
        <source>a stage: 1, 0-3</source>
        <translation>阶段：1、0-3</translation>
    </message>
    <message>
        <source>a step takes {a} s: its costs are not measured beforehand</source>
        <translation>一步需要 {a} 秒：不预先测量其开销</translation>
    </message>
    <message>
        <source>a step: 5, 10-20</source>
        <translation>步：5、10-20</translation>
    </message>
    <message>
        <source>a task has no {a}</source>
        <translation>某个任务没有 {a}</translation>
    </message>
    <message>
        <source>a task is of {a} {b}, and the last one is {c}</source>
        <translation>有任务属于 {a} {b}，而最后一个是 {c}</translation>
    </message>
    <message>
        <source>a task of a step comes twice</source>
        <translation>一个步中的某个任务出现了两次</translation>
    </message>
    <message>
        <source>a task of the plan: 17</source>
        <translation>计划中的任务：17</translation>
    </message>
    <message>
        <source>a task&apos;s {a} is out of bounds</source>
        <translation>某个任务的 {a} 超出范围</translation>
    </message>
    <message>
        <source>a time is out of bounds</source>
        <translation>某个时间超出范围</translation>
    </message>
    <message>
        <source>a value of {a} is longer than {b}; use a part of it, as in left(text, 1000)</source>
        <translation>{a} 的一个值长于 {b}；请只取一部分，如 left(text, 1000)</translation>
    </message>
    <message>
        <source>activation</source>
        <translation>激活</translation>
    </message>
    <message>
        <source>activations held</source>
        <translation>持有的激活</translation>
    </message>
    <message>
        <source>adds to the step</source>
        <translation>给步增加的时间</translation>
    </message>
    <message>
        <source>alignment</source>
        <translation>对齐点</translation>
    </message>
    <message>
        <source>all lanes</source>
        <translation>所有通道</translation>
    </message>
    <message>
        <source>all {n}</source>
        <translation>全部 {n}</translation>
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
        <translation>全部；或 0-3、cpu:1</translation>
    </message>
    <message>
        <source>and {n} more ranks</source>
        <translation>以及另外 {n} 个 rank</translation>
    </message>
    <message>
        <source>any port</source>
        <translation>任意端口</translation>
    </message>
    <message>
        <source>as it goes</source>
        <translation>实时</translation>
    </message>
    <message>
        <source>as the costs</source>
        <translation>同开销</translation>
    </message>
    <message>
        <source>at</source>
        <translation>位于</translation>
    </message>
    <message>
        <source>at {time}, over {length}</source>
        <translation>在 {time}，长 {length}</translation>
    </message>
    <message>
        <source>auto</source>
        <translation>自动</translation>
    </message>
    <message>
        <source>backward</source>
        <translation>反向</translation>
    </message>
    <message>
        <source>backward-input</source>
        <translation>反向（输入）</translation>
    </message>
    <message>
        <source>backward-weight</source>
        <translation>反向（权重）</translation>
    </message>
    <message>
        <source>balance</source>
        <translation>均衡</translation>
    </message>
    <message>
        <source>batch</source>
        <translation>批次</translation>
    </message>
    <message>
        <source>batch normalisation depends on how the batch is split: every step is compared with the same split, run in order on one lane</source>
        <translation>批归一化取决于批次如何划分：每一步都与在一个通道上按顺序运行的同样划分作比较</translation>
    </message>
    <message>
        <source>batch normalisation needs more than one value per channel on every lane that has rows: use a larger --batch or fewer lanes</source>
        <translation>批归一化要求每个有数据行的通道上，每个特征通道都有一个以上的值：请增大 --batch 或减少通道</translation>
    </message>
    <message>
        <source>batch {rows}</source>
        <translation>批次 {rows}</translation>
    </message>
    <message>
        <source>because of</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>because the host is late</source>
        <translation>因为主机延迟</translation>
    </message>
    <message>
        <source>began at {time}, did not end</source>
        <translation>开始于 {time}，未结束</translation>
    </message>
    <message>
        <source>between steps</source>
        <translation>步之间</translation>
    </message>
    <message>
        <source>between steps, {time}</source>
        <translation>步之间，{time}</translation>
    </message>
    <message>
        <source>block</source>
        <translation>块</translation>
    </message>
    <message>
        <source>block {a} begins with no linear layer</source>
        <translation>块 {a} 不是以线性层开始</translation>
    </message>
    <message>
        <source>block {a} is no transformer block</source>
        <translation>块 {a} 不是 transformer 块</translation>
    </message>
    <message>
        <source>block {n}</source>
        <translation>块 {n}</translation>
    </message>
    <message>
        <source>blocks</source>
        <translation>块</translation>
    </message>
    <message>
        <source>blocks are not recorded: torch runs the ranks by itself</source>
        <translation>不录制块：各 rank 由 torch 自行运行</translation>
    </message>
    <message>
        <source>blocks {a} and {b} of {c} share a parameter ({d}.{e}), and virtual lanes run a rank block by block; put both into one block, or use real lanes</source>
        <translation>{c} 的块 {a} 和块 {b} 共用一个参数（{d}.{e}），而虚拟通道逐块运行一个 rank；请将两者放入同一个块，或使用真实通道</translation>
    </message>
    <message>
        <source>blocks {a} and {b} share a parameter ({c}.{d}), and each block is sharded by itself; put both into one block, or use ddp</source>
        <translation>块 {a} 和块 {b} 共用一个参数（{c}.{d}），而每个块各自分片；请将两者放入同一个块，或使用 ddp</translation>
    </message>
    <message>
        <source>borders</source>
        <translation>边界</translation>
    </message>
    <message>
        <source>both {a} and {b}: one is too many</source>
        <translation>同时有 {a} 和 {b}：多了一个</translation>
    </message>
    <message>
        <source>broke off: {a}</source>
        <translation>中断：{a}</translation>
    </message>
    <message>
        <source>bubble</source>
        <translation>气泡</translation>
    </message>
    <message>
        <source>bubblescope: not all was recorded: {a}</source>
        <translation>bubblescope：未能全部录制：{a}</translation>
    </message>
    <message>
        <source>bucket</source>
        <translation>桶</translation>
    </message>
    <message>
        <source>bucket mb</source>
        <translation>桶大小（MB）</translation>
    </message>
    <message>
        <source>bucket {n}</source>
        <translation>桶 {n}</translation>
    </message>
    <message>
        <source>buckets of 1 MiB instead of {a}</source>
        <translation>1 MiB 的桶，而不是 {a} MiB</translation>
    </message>
    <message>
        <source>buckets of {b} MiB instead of {a}</source>
        <translation>{b} MiB 的桶，而不是 {a} MiB</translation>
    </message>
    <message>
        <source>busy</source>
        <translation>忙碌</translation>
    </message>
    <message>
        <source>busy {busy} · comm {communication} · idle {idle}</source>
        <translation>忙碌 {busy} · 通信 {communication} · 空闲 {idle}</translation>
    </message>
    <message>
        <source>by makespan</source>
        <translation>按总时长</translation>
    </message>
    <message>
        <source>by the longest lane&apos;s span</source>
        <translation>按最长通道的跨度</translation>
    </message>
    <message>
        <source>bytes</source>
        <translation>字节</translation>
    </message>
    <message>
        <source>calibrate</source>
        <translation>校准</translation>
    </message>
    <message>
        <source>cause</source>
        <translation>原因</translation>
    </message>
    <message>
        <source>chimera needs an even number of ranks, not {a}</source>
        <translation>chimera 需要偶数个 rank，而不是 {a} 个</translation>
    </message>
    <message>
        <source>chimera needs at least 2 micro-batches, one a replica, not {a}</source>
        <translation>chimera 至少需要 2 个微批次（每个副本一个），而不是 {a} 个</translation>
    </message>
    <message>
        <source>chunks</source>
        <translation>块数</translation>
    </message>
    <message>
        <source>closed form</source>
        <translation>闭式公式</translation>
    </message>
    <message>
        <source>collective</source>
        <translation>集合通信</translation>
    </message>
    <message>
        <source>colours</source>
        <translation>颜色</translation>
    </message>
    <message>
        <source>communication</source>
        <translation>通信</translation>
    </message>
    <message>
        <source>communication measured too</source>
        <translation>通信也经过实测</translation>
    </message>
    <message>
        <source>communication modelled ({a}{b})</source>
        <translation>通信由模型给出（{a}{b}）</translation>
    </message>
    <message>
        <source>compare gradients</source>
        <translation>对比梯度</translation>
    </message>
    <message>
        <source>compared: mean of {n} steps</source>
        <translation>对比：{n} 步的平均</translation>
    </message>
    <message>
        <source>compute</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>compute the loss</source>
        <translation>计算损失</translation>
    </message>
    <message>
        <source>computing</source>
        <translation>计算</translation>
    </message>
    <message>
        <source>connected</source>
        <translation>已连接</translation>
    </message>
    <message>
        <source>copy</source>
        <translation>拷贝</translation>
    </message>
    <message>
        <source>copy the model</source>
        <translation>拷贝模型</translation>
    </message>
    <message>
        <source>cores</source>
        <translation>核心</translation>
    </message>
    <message>
        <source>cores a lane</source>
        <translation>每通道核心数</translation>
    </message>
    <message>
        <source>cores per lane</source>
        <translation>每通道核心数</translation>
    </message>
    <message>
        <source>costs, {time}</source>
        <translation>开销，{time}</translation>
    </message>
    <message>
        <source>critical path</source>
        <translation>关键路径</translation>
    </message>
    <message>
        <source>data</source>
        <translation>数据</translation>
    </message>
    <message>
        <source>data moves</source>
        <translation>数据移动</translation>
    </message>
    <message>
        <source>default</source>
        <translation>default</translation>
    </message>
    <message>
        <source>depth</source>
        <translation>深度</translation>
    </message>
    <message>
        <source>depth 1 instead of {a}</source>
        <translation>深度 1，而不是 {a}</translation>
    </message>
    <message>
        <source>depth {b} instead of {a}</source>
        <translation>深度 {b}，而不是 {a}</translation>
    </message>
    <message>
        <source>deuteranopia</source>
        <translation>绿色盲</translation>
    </message>
    <message>
        <source>deviation from run to run</source>
        <translation>各次运行之间的偏差</translation>
    </message>
    <message>
        <source>device</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>device {device}</source>
        <translation>设备 {device}</translation>
    </message>
    <message>
        <source>devices</source>
        <translation>设备</translation>
    </message>
    <message>
        <source>did not answer any more, and was ended</source>
        <translation>不再响应，已被终止</translation>
    </message>
    <message>
        <source>did not end</source>
        <translation>未结束</translation>
    </message>
    <message>
        <source>dtype</source>
        <translation>数据类型</translation>
    </message>
    <message>
        <source>dualpipe-v on {a} ranks needs at least {b} micro-batches, not {c}</source>
        <translation>{a} 个 rank 上的 dualpipe-v 至少需要 {b} 个微批次，而不是 {c} 个</translation>
    </message>
    <message>
        <source>duration</source>
        <translation>时长</translation>
    </message>
    <message>
        <source>end to start {time}</source>
        <translation>终点到起点 {time}</translation>
    </message>
    <message>
        <source>ended with status {a}</source>
        <translation>以状态 {a} 结束</translation>
    </message>
    <message>
        <source>engine</source>
        <translation>engine</translation>
    </message>
    <message>
        <source>engine is loading…</source>
        <translation>引擎正在加载…</translation>
    </message>
    <message>
        <source>engine ready</source>
        <translation>引擎就绪</translation>
    </message>
    <message>
        <source>equal parameters</source>
        <translation>参数量相等</translation>
    </message>
    <message>
        <source>equal times</source>
        <translation>时间相等</translation>
    </message>
    <message>
        <source>error</source>
        <translation>错误</translation>
    </message>
    <message>
        <source>events have colours that do not exist</source>
        <translation>事件使用了不存在的颜色</translation>
    </message>
    <message>
        <source>exact</source>
        <translation>精确</translation>
    </message>
    <message>
        <source>exposed</source>
        <translation>暴露</translation>
    </message>
    <message>
        <source>exposed collective</source>
        <translation>暴露的集合通信</translation>
    </message>
    <message>
        <source>exposed comm.</source>
        <translation>暴露通信</translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation>暴露的通信</translation>
    </message>
    <message>
        <source>exposed-collective</source>
        <translation>暴露的集合通信</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>失败</translation>
    </message>
    <message>
        <source>fastest</source>
        <translation>最快</translation>
    </message>
    <message>
        <source>faults put in</source>
        <translation>注入的故障</translation>
    </message>
    <message>
        <source>file</source>
        <translation>文件</translation>
    </message>
    <message>
        <source>finished</source>
        <translation>已完成</translation>
    </message>
    <message>
        <source>float32</source>
        <translation>float32</translation>
    </message>
    <message>
        <source>for reasons that the trace does not tell</source>
        <translation>跟踪中没有说明的原因</translation>
    </message>
    <message>
        <source>for what is not known yet</source>
        <translation>原因尚不清楚</translation>
    </message>
    <message>
        <source>forward</source>
        <translation>前向</translation>
    </message>
    <message>
        <source>forward with backward</source>
        <translation>前向与反向</translation>
    </message>
    <message>
        <source>forward, backward-*, communication, compute</source>
        <translation>forward、backward-*、communication、compute</translation>
    </message>
    <message>
        <source>from first to last</source>
        <translation>从最先到最后</translation>
    </message>
    <message>
        <source>full colour vision</source>
        <translation>正常色觉</translation>
    </message>
    <message>
        <source>gather</source>
        <translation>收集</translation>
    </message>
    <message>
        <source>gather or reduce</source>
        <translation>收集或归约</translation>
    </message>
    <message>
        <source>gather-or-reduce</source>
        <translation>收集或归约</translation>
    </message>
    <message>
        <source>gone</source>
        <translation>已断开</translation>
    </message>
    <message>
        <source>gradient</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>gradients</source>
        <translation>梯度</translation>
    </message>
    <message>
        <source>gradients differ by at most {error}</source>
        <translation>梯度最多相差 {error}</translation>
    </message>
    <message>
        <source>gradients ready</source>
        <translation>梯度就绪</translation>
    </message>
    <message>
        <source>grey</source>
        <translation>灰色</translation>
    </message>
    <message>
        <source>grows</source>
        <translation>增长</translation>
    </message>
    <message>
        <source>has no dimension to divide</source>
        <translation>没有可划分的维度</translation>
    </message>
    <message>
        <source>heads</source>
        <translation>头数</translation>
    </message>
    <message>
        <source>hiccup</source>
        <translation>卡顿</translation>
    </message>
    <message>
        <source>hidden</source>
        <translation>隐藏</translation>
    </message>
    <message>
        <source>host</source>
        <translation>主机</translation>
    </message>
    <message>
        <source>ideal: single ÷ lanes</source>
        <translation>理想：单通道 ÷ 通道数</translation>
    </message>
    <message>
        <source>idle</source>
        <translation>空闲</translation>
    </message>
    <message>
        <source>idle most for</source>
        <translation>空闲主因</translation>
    </message>
    <message>
        <source>idle share</source>
        <translation>空闲占比</translation>
    </message>
    <message>
        <source>idle {share}</source>
        <translation>空闲 {share}</translation>
    </message>
    <message>
        <source>idle: {cause}</source>
        <translation>空闲：{cause}</translation>
    </message>
    <message>
        <source>image size</source>
        <translation>图像大小</translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation>不均衡</translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation>不完整</translation>
    </message>
    <message>
        <source>incomplete: 1 fault, see the Log</source>
        <translation>不完整：1 个故障，见日志</translation>
    </message>
    <message>
        <source>incomplete: {n} faults, see the Log</source>
        <translation>不完整：{n} 个故障，见日志</translation>
    </message>
    <message>
        <source>info</source>
        <translation>信息</translation>
    </message>
    <message>
        <source>input</source>
        <translation>输入</translation>
    </message>
    <message>
        <source>input-data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>install it again: pip install --force-reinstall torch</source>
        <translation>请重新安装：pip install --force-reinstall torch</translation>
    </message>
    <message>
        <source>is not contiguous</source>
        <translation>不是连续的</translation>
    </message>
    <message>
        <source>the recording changes while it is read</source>
        <translation>它在读取时发生变化</translation>
    </message>
    <message>
        <source>the index could not be built</source>
        <translation>无法生成</translation>
    </message>
    <message>
        <source>it goes on behind its end</source>
        <translation>它在结束之后仍有内容</translation>
    </message>
    <message>
        <source>it has more than {a} lanes</source>
        <translation>它有超过 {a} 个通道</translation>
    </message>
    <message>
        <source>it has more than {a} streams and threads</source>
        <translation>它有超过 {a} 个流和线程</translation>
    </message>
    <message>
        <source>it has more than {a} threads</source>
        <translation>它有超过 {a} 个线程</translation>
    </message>
    <message>
        <source>it has no list of events</source>
        <translation>其中没有事件列表</translation>
    </message>
    <message>
        <source>it does not have format {a}; {b}</source>
        <translation>其格式不是 {a}；{b}</translation>
    </message>
    <message>
        <source>it has text that is not UTF-8</source>
        <translation>其中有非 UTF-8 的文本</translation>
    </message>
    <message>
        <source>it has {a} bytes and unpacks to more than {b}, the most that is read of a packed file of that size</source>
        <translation>它有 {a} 字节，解压后超过 {b}，即读取该大小压缩文件的上限</translation>
    </message>
    <message>
        <source>it has {a} bytes; use at most {b}</source>
        <translation>它有 {a} 字节；最多 {b} 字节</translation>
    </message>
    <message>
        <source>it has {a} replicas on {b} lanes</source>
        <translation>它在 {b} 个通道上有 {a} 个副本</translation>
    </message>
    <message>
        <source>it is damaged after event {a}: {b}</source>
        <translation>它在事件 {a} 之后损坏：{b}</translation>
    </message>
    <message>
        <source>it is neither run, describe nor stop</source>
        <translation>它既不是 run、describe，也不是 stop</translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation>嵌套过深</translation>
    </message>
    <message>
        <source>it is no regular file</source>
        <translation>它不是普通文件</translation>
    </message>
    <message>
        <source>it takes {a} tensors and gives {b}; it must take one and give one</source>
        <translation>它接受 {a} 个张量并给出 {b} 个；必须接受一个并给出一个</translation>
    </message>
    <message>
        <source>it would unpack to {a} bytes or more: {b} are taken</source>
        <translation>解包后至少为 {a} 字节：最多接受 {b}</translation>
    </message>
    <message>
        <source>its column {a} has {b}, which is not a known word</source>
        <translation>其列 {a} 中有 {b}，这一列没有这个词</translation>
    </message>
    <message>
        <source>its job was killed or its connection lost</source>
        <translation>其作业被终止，或连接已断开</translation>
    </message>
    <message>
        <source>its lanes spend on average {parts}</source>
        <translation>其通道平均花费 {parts}</translation>
    </message>
    <message>
        <source>its spans are of several plans</source>
        <translation>其跨度属于多个计划</translation>
    </message>
    <message>
        <source>its times lie more than 73 years apart</source>
        <translation>其时间相差超过 73 年</translation>
    </message>
    <message>
        <source>jitter</source>
        <translation>抖动</translation>
    </message>
    <message>
        <source>kind</source>
        <translation>类型</translation>
    </message>
    <message>
        <source>lane</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>lane by lane</source>
        <translation>逐通道</translation>
    </message>
    <message>
        <source>lane memory</source>
        <translation>通道内存</translation>
    </message>
    <message>
        <source>lane {a} has number {b} and serves {c}</source>
        <translation>通道 {a} 的编号为 {b}，服务于 {c}</translation>
    </message>
    <message>
        <source>lane {lane}</source>
        <translation>通道 {lane}</translation>
    </message>
    <message>
        <source>lane {lane}: idle at {time}</source>
        <translation>通道 {lane}：在 {time} 空闲</translation>
    </message>
    <message>
        <source>lane {lane}: {task}, {time}</source>
        <translation>通道 {lane}：{task}，{time}</translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS</source>
        <translation>lane=LANE,step=STEP,ms=MS</translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS, such as lane=2,step=4,ms=50</source>
        <translation>lane=LANE,step=STEP,ms=MS，例如 lane=2,step=4,ms=50</translation>
    </message>
    <message>
        <source>lanes</source>
        <translation>通道</translation>
    </message>
    <message>
        <source>last to come, how often</source>
        <translation>最后到达者及次数</translation>
    </message>
    <message>
        <source>last {shown} of {count} measured steps</source>
        <translation>{count} 个实测步中的最后 {shown} 个</translation>
    </message>
    <message>
        <source>launched {time} after it was ready</source>
        <translation>就绪后 {time} 启动</translation>
    </message>
    <message>
        <source>launcher</source>
        <translation>启动方式</translation>
    </message>
    <message>
        <source>left edge</source>
        <translation>左边缘</translation>
    </message>
    <message>
        <source>level</source>
        <translation>级别</translation>
    </message>
    <message>
        <source>link</source>
        <translation>链路</translation>
    </message>
    <message>
        <source>list</source>
        <translation>列表</translation>
    </message>
    <message>
        <source>loading data</source>
        <translation>加载数据</translation>
    </message>
    <message>
        <source>loss</source>
        <translation>损失</translation>
    </message>
    <message>
        <source>loss (right axis)</source>
        <translation>损失（右轴）</translation>
    </message>
    <message>
        <source>loss and update</source>
        <translation>损失和更新</translation>
    </message>
    <message>
        <source>loss for all</source>
        <translation>为所有副本计算损失</translation>
    </message>
    <message>
        <source>loss {loss}</source>
        <translation>损失 {loss}</translation>
    </message>
    <message>
        <source>loss-for-all</source>
        <translation>为所有副本计算损失</translation>
    </message>
    <message>
        <source>lr</source>
        <translation>学习率</translation>
    </message>
    <message>
        <source>made from the run</source>
        <translation>由该运行生成</translation>
    </message>
    <message>
        <source>makespan</source>
        <translation>总时长</translation>
    </message>
    <message>
        <source>makespan in ms</source>
        <translation>总时长（ms）</translation>
    </message>
    <message>
        <source>makespan {lengths}</source>
        <translation>总时长 {lengths}</translation>
    </message>
    <message>
        <source>max / mean</source>
        <translation>最大 / 平均</translation>
    </message>
    <message>
        <source>mean of 1 step</source>
        <translation>1 步的平均</translation>
    </message>
    <message>
        <source>mean of all steps</source>
        <translation>所有步的平均</translation>
    </message>
    <message>
        <source>mean of the last {n} steps</source>
        <translation>最后 {n} 步的平均</translation>
    </message>
    <message>
        <source>mean of the measured steps</source>
        <translation>实测步的平均</translation>
    </message>
    <message>
        <source>mean of {n} measured steps</source>
        <translation>{n} 个实测步的平均</translation>
    </message>
    <message>
        <source>mean of {n} steps</source>
        <translation>{n} 步的平均</translation>
    </message>
    <message>
        <source>mean of {n} warm-up steps</source>
        <translation>{n} 个预热步的平均</translation>
    </message>
    <message>
        <source>measured</source>
        <translation>实测</translation>
    </message>
    <message>
        <source>measured block by block, in micro-batches of several sizes</source>
        <translation>逐块测得，使用多种大小的微批次</translation>
    </message>
    <message>
        <source>measured with all lanes busy, before the measured steps</source>
        <translation>在实测步之前，所有通道忙碌时测量</translation>
    </message>
    <message>
        <source>measuring costs, {time}</source>
        <translation>测量开销，{time}</translation>
    </message>
    <message>
        <source>median step</source>
        <translation>中位数步</translation>
    </message>
    <message>
        <source>median: {step}</source>
        <translation>中位数：{step}</translation>
    </message>
    <message>
        <source>meetings</source>
        <translation>会合次数</translation>
    </message>
    <message>
        <source>memory</source>
        <translation>内存</translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>micro-batch {n}</source>
        <translation>微批次 {n}</translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>micro-batches of {a} rows: torch&apos;s schedules need one size; let --microbatches divide --batch, and --batch --data</source>
        <translation>微批次为 {a} 行：torch 的调度需要同一大小；请让 --microbatches 整除 --batch，--batch 整除 --data</translation>
    </message>
    <message>
        <source>microbatch</source>
        <translation>微批次</translation>
    </message>
    <message>
        <source>microbatches</source>
        <translation>微批次数</translation>
    </message>
    <message>
        <source>missing</source>
        <translation>缺失</translation>
    </message>
    <message>
        <source>mlp</source>
        <translation>mlp</translation>
    </message>
    <message>
        <source>model</source>
        <translation>模型</translation>
    </message>
    <message>
        <source>model copy</source>
        <translation>模型拷贝</translation>
    </message>
    <message>
        <source>more</source>
        <translation>更多</translation>
    </message>
    <message>
        <source>most in this run: {size}</source>
        <translation>此运行中最多：{size}</translation>
    </message>
    <message>
        <source>moved for {time}</source>
        <translation>移动了 {time}</translation>
    </message>
    <message>
        <source>moves</source>
        <translation>移动</translation>
    </message>
    <message>
        <source>moving data themselves</source>
        <translation>自身移动数据</translation>
    </message>
    <message>
        <source>ms of lane time</source>
        <translation>通道时间（ms）</translation>
    </message>
    <message>
        <source>n</source>
        <translation>n</translation>
    </message>
    <message>
        <source>name</source>
        <translation>名称</translation>
    </message>
    <message>
        <source>never idle</source>
        <translation>从不空闲</translation>
    </message>
    <message>
        <source>no</source>
        <translation>否</translation>
    </message>
    <message>
        <source>no engine</source>
        <translation>无引擎</translation>
    </message>
    <message>
        <source>no gradient for {a}: ddp waits for that of every trained parameter; use them in the forward pass, or freeze them with requires_grad_(False)</source>
        <translation>{a} 没有梯度：ddp 会等待每个训练参数的梯度；请在前向中使用它们，或用 requires_grad_(False) 冻结</translation>
    </message>
    <message>
        <source>no gradient for {a}: ranks wait for that of every trained parameter; use it in the forward pass, or freeze it with requires_grad_(False)</source>
        <translation>{a} 没有梯度：各 rank 会等待每个训练参数的梯度；请在前向中使用它，或用 requires_grad_(False) 冻结</translation>
    </message>
    <message>
        <source>no hits</source>
        <translation>无匹配</translation>
    </message>
    <message>
        <source>no limit</source>
        <translation>不限</translation>
    </message>
    <message>
        <source>no micro-batch</source>
        <translation>无微批次</translation>
    </message>
    <message>
        <source>no optimizer of torch.optim has updated the model, so there are no steps</source>
        <translation>torch.optim 中没有优化器更新过该模型,因此没有步</translation>
    </message>
    <message>
        <source>no pipeline</source>
        <translation>无流水线</translation>
    </message>
    <message>
        <source>no prediction: {a}</source>
        <translation>无预测：{a}</translation>
    </message>
    <message>
        <source>no rows</source>
        <translation>无行</translation>
    </message>
    <message>
        <source>no run yet</source>
        <translation>尚无运行</translation>
    </message>
    <message>
        <source>no stage</source>
        <translation>无阶段</translation>
    </message>
    <message>
        <source>no such settings</source>
        <translation>没有这样的设置</translation>
    </message>
    <message>
        <source>nobody</source>
        <translation>无</translation>
    </message>
    <message>
        <source>node {n}</source>
        <translation>节点 {n}</translation>
    </message>
    <message>
        <source>none</source>
        <translation>无</translation>
    </message>
    <message>
        <source>not compared</source>
        <translation>未比较</translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation>尚不清楚</translation>
    </message>
    <message>
        <source>not told</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>not used</source>
        <translation>未使用</translation>
    </message>
    <message>
        <source>not what a plain step computes: gradients differ by {gradient}, losses by {loss}</source>
        <translation>与普通步的计算结果不符：梯度相差 {gradient}，损失相差 {loss}</translation>
    </message>
    <message>
        <source>not-told</source>
        <translation>未说明</translation>
    </message>
    <message>
        <source>nothing more in this step</source>
        <translation>该步没有更多内容</translation>
    </message>
    <message>
        <source>nothing recorded</source>
        <translation>未录制任何内容</translation>
    </message>
    <message>
        <source>nothing to move</source>
        <translation>没有要移动的内容</translation>
    </message>
    <message>
        <source>number</source>
        <translation>编号</translation>
    </message>
    <message>
        <source>of the idle time</source>
        <translation>占空闲时间</translation>
    </message>
    <message>
        <source>of the time</source>
        <translation>占时间</translation>
    </message>
    <message>
        <source>one epoch</source>
        <translation>一个 epoch</translation>
    </message>
    <message>
        <source>one per lane</source>
        <translation>每通道一个</translation>
    </message>
    <message>
        <source>one step</source>
        <translation>一步</translation>
    </message>
    <message>
        <source>one step: {start} to {end}</source>
        <translation>一个步骤：{start} 至 {end}</translation>
    </message>
    <message>
        <source>one-column</source>
        <translation>单栏</translation>
    </message>
    <message>
        <source>only in A: {tasks}</source>
        <translation>仅在 A 中：{tasks}</translation>
    </message>
    <message>
        <source>only in B: {tasks}</source>
        <translation>仅在 B 中：{tasks}</translation>
    </message>
    <message>
        <source>only the first {a} rows: their values are too long</source>
        <translation>仅前 {a} 行：它们的值太长</translation>
    </message>
    <message>
        <source>only the first {a} rows; add LIMIT or GROUP BY</source>
        <translation>仅前 {a} 行；请加 LIMIT 或 GROUP BY</translation>
    </message>
    <message>
        <source>opening the recording was cancelled</source>
        <translation>已取消打开录制文件</translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation>优化器</translation>
    </message>
    <message>
        <source>other</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>other devices</source>
        <translation>其他设备</translation>
    </message>
    <message>
        <source>other lane computes</source>
        <translation>其他通道计算</translation>
    </message>
    <message>
        <source>other lanes</source>
        <translation>其他通道</translation>
    </message>
    <message>
        <source>other memory</source>
        <translation>其他内存</translation>
    </message>
    <message>
        <source>other names</source>
        <translation>其他名称</translation>
    </message>
    <message>
        <source>other ranks</source>
        <translation>其他 rank</translation>
    </message>
    <message>
        <source>other stream works</source>
        <translation>其他流在工作</translation>
    </message>
    <message>
        <source>other work</source>
        <translation>其他工作</translation>
    </message>
    <message>
        <source>other-compute</source>
        <translation>其他通道计算</translation>
    </message>
    <message>
        <source>other-stream</source>
        <translation>其他流在工作</translation>
    </message>
    <message>
        <source>others</source>
        <translation>其他</translation>
    </message>
    <message>
        <source>output</source>
        <translation>输出</translation>
    </message>
    <message>
        <source>overlap</source>
        <translation>重叠</translation>
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
        <translation>并行</translation>
    </message>
    <message>
        <source>parameter gradients</source>
        <translation>参数梯度</translation>
    </message>
    <message>
        <source>parameter {a}.{b} {c}, which fully_shard refuses; make it contiguous and of shape [1] at least, or use ddp</source>
        <translation>参数 {a}.{b} {c}，fully_shard 不接受；请使其连续且形状至少为 [1]，或使用 ddp</translation>
    </message>
    <message>
        <source>parameters</source>
        <translation>参数</translation>
    </message>
    <message>
        <source>parameters again</source>
        <translation>再次收集的参数</translation>
    </message>
    <message>
        <source>part of a name, or all of it: gemm, gemm*</source>
        <translation>名称的一部分或全部：gemm、gemm*</translation>
    </message>
    <message>
        <source>patterns</source>
        <translation>图案</translation>
    </message>
    <message>
        <source>peak</source>
        <translation>峰值</translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation>峰值内存</translation>
    </message>
    <message>
        <source>peak {size}</source>
        <translation>峰值 {size}</translation>
    </message>
    <message>
        <source>perfect division</source>
        <translation>完美划分</translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation>流水线</translation>
    </message>
    <message>
        <source>pipeline drains</source>
        <translation>流水线排空</translation>
    </message>
    <message>
        <source>pipeline fill and drain</source>
        <translation>流水线填充和排空</translation>
    </message>
    <message>
        <source>pipeline fills</source>
        <translation>流水线填充</translation>
    </message>
    <message>
        <source>pipeline {n}</source>
        <translation>流水线 {n}</translation>
    </message>
    <message>
        <source>pipeline-drain</source>
        <translation>流水线排空</translation>
    </message>
    <message>
        <source>pipeline-fill</source>
        <translation>流水线填充</translation>
    </message>
    <message>
        <source>pipelines {n}</source>
        <translation>流水线 {n}</translation>
    </message>
    <message>
        <source>plan {a} has a task that waits for one that is not before it</source>
        <translation>计划 {a} 中有任务等待不在其之前的任务</translation>
    </message>
    <message>
        <source>plan {a} has no tasks</source>
        <translation>计划 {a} 没有任务</translation>
    </message>
    <message>
        <source>plan {a} is out of order</source>
        <translation>计划 {a} 不是接下来应给出的计划</translation>
    </message>
    <message>
        <source>predicted</source>
        <translation>预测</translation>
    </message>
    <message>
        <source>predicted {error}</source>
        <translation>预测 {error}</translation>
    </message>
    <message>
        <source>predicted {predicted}, measured {measured}, {error}</source>
        <translation>预测 {predicted}，实测 {measured}，{error}</translation>
    </message>
    <message>
        <source>predicted, not measured</source>
        <translation>预测，非实测</translation>
    </message>
    <message>
        <source>present</source>
        <translation>当前</translation>
    </message>
    <message>
        <source>protanopia</source>
        <translation>红色盲</translation>
    </message>
    <message>
        <source>rank {a} (process {b}) {c}</source>
        <translation>rank {a}（进程 {b}）{c}</translation>
    </message>
    <message>
        <source>rank {a} broke off: {b}</source>
        <translation>rank {a} 中断：{b}</translation>
    </message>
    <message>
        <source>rank {a} is here</source>
        <translation>rank {a} 已连接</translation>
    </message>
    <message>
        <source>rank {a} is none of a job of {b}</source>
        <translation>rank {a} 不属于有 {b} 个 rank 的作业</translation>
    </message>
    <message>
        <source>rank {a} of another job waits until this one has ended</source>
        <translation>另一个作业的 rank {a} 在等待当前作业结束</translation>
    </message>
    <message>
        <source>rank {a} of the job has failed</source>
        <translation>作业的 rank {a} 已失败</translation>
    </message>
    <message>
        <source>rank {a} runs {b}</source>
        <translation>rank {a} 运行 {b}</translation>
    </message>
    <message>
        <source>rank {a} tells more than {b} numbers of steps to come</source>
        <translation>rank {a} 发送的尚未到来的步的数值超过 {b} 个</translation>
    </message>
    <message>
        <source>rank {a} tells more than {b} tasks</source>
        <translation>rank {a} 发送的任务超过 {b} 个</translation>
    </message>
    <message>
        <source>rank {a} tells what makes no sense: {b}</source>
        <translation>rank {a} 发送的内容不合理：{b}</translation>
    </message>
    <message>
        <source>rank {a} was refused: no thread can be started for it</source>
        <translation>rank {a} 被拒绝：无法为它启动线程</translation>
    </message>
    <message>
        <source>rank {a} was refused: {b}</source>
        <translation>rank {a} 被拒绝：{b}</translation>
    </message>
    <message>
        <source>rank {a} was refused: {b} ranks are connected</source>
        <translation>rank {a} 被拒绝：已有 {b} 个 rank 连接</translation>
    </message>
    <message>
        <source>rank {a} {b}; {c}, and nothing can be shown without the others</source>
        <translation>rank {a} {b}；{c}，缺少其余 rank 时无法显示任何内容</translation>
    </message>
    <message>
        <source>rank {lane}</source>
        <translation>rank {lane}</translation>
    </message>
    <message>
        <source>ranks cannot meet on {a}: torch has no process group for that; use CPU lanes, such as 2xcpu, or another strategy</source>
        <translation>各 rank 无法在 {a} 上会合：torch 没有相应的进程组；请使用 CPU 通道（例如 2xcpu）或其他策略</translation>
    </message>
    <message>
        <source>ranks {a} and {b} ran different collectives in step {c}</source>
        <translation>rank {a} 和 {b} 在第 {c} 步中运行了不同的集合通信</translation>
    </message>
    <message>
        <source>ratio</source>
        <translation>比率</translation>
    </message>
    <message>
        <source>record blocks</source>
        <translation>录制块</translation>
    </message>
    <message>
        <source>reduce</source>
        <translation>归约</translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation>reduce-scatter</translation>
    </message>
    <message>
        <source>reduced: about {count} spans a pixel</source>
        <translation>已精简：每像素约 {count} 个跨度</translation>
    </message>
    <message>
        <source>refused</source>
        <translation>已拒绝</translation>
    </message>
    <message>
        <source>replica</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>replica {n}</source>
        <translation>副本 {n}</translation>
    </message>
    <message>
        <source>replicas</source>
        <translation>副本</translation>
    </message>
    <message>
        <source>replicate</source>
        <translation>复制</translation>
    </message>
    <message>
        <source>replicate-model</source>
        <translation>模型拷贝</translation>
    </message>
    <message>
        <source>rows</source>
        <translation>行</translation>
    </message>
    <message>
        <source>rows of a batch</source>
        <translation>批次的行数</translation>
    </message>
    <message>
        <source>run start</source>
        <translation>运行开始</translation>
    </message>
    <message>
        <source>run {number}</source>
        <translation>运行 {number}</translation>
    </message>
    <message>
        <source>running</source>
        <translation>运行中</translation>
    </message>
    <message>
        <source>running for {time}</source>
        <translation>已运行 {time}</translation>
    </message>
    <message>
        <source>running since {time}</source>
        <translation>自 {time} 起运行</translation>
    </message>
    <message>
        <source>saving, {share}</source>
        <translation>正在保存，{share}</translation>
    </message>
    <message>
        <source>scatter</source>
        <translation>分发</translation>
    </message>
    <message>
        <source>scatter-rows</source>
        <translation>分发</translation>
    </message>
    <message>
        <source>schedule</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>schedules</source>
        <translation>调度</translation>
    </message>
    <message>
        <source>searching, {share}</source>
        <translation>正在搜索，{share}</translation>
    </message>
    <message>
        <source>seed</source>
        <translation>随机种子</translation>
    </message>
    <message>
        <source>sent what cannot be read: {a}</source>
        <translation>发来了无法读取的内容：{a}</translation>
    </message>
    <message>
        <source>sequence</source>
        <translation>序列长度</translation>
    </message>
    <message>
        <source>setting</source>
        <translation>设置</translation>
    </message>
    <message>
        <source>sgd</source>
        <translation>sgd</translation>
    </message>
    <message>
        <source>share</source>
        <translation>占比</translation>
    </message>
    <message>
        <source>size</source>
        <translation>大小</translation>
    </message>
    <message>
        <source>slide</source>
        <translation>幻灯片</translation>
    </message>
    <message>
        <source>slider</source>
        <translation>滑块</translation>
    </message>
    <message>
        <source>slow kind</source>
        <translation>慢速类型</translation>
    </message>
    <message>
        <source>slow lane</source>
        <translation>慢速通道</translation>
    </message>
    <message>
        <source>slow link</source>
        <translation>慢速链路</translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation>减速</translation>
    </message>
    <message>
        <source>slowest rank</source>
        <translation>最慢的 rank</translation>
    </message>
    <message>
        <source>slowest-rank</source>
        <translation>最慢的 rank</translation>
    </message>
    <message>
        <source>some of its tasks overlap</source>
        <translation>其部分任务重叠</translation>
    </message>
    <message>
        <source>another file has the name of its index</source>
        <translation>其索引的名称已被他物占用</translation>
    </message>
    <message>
        <source>sorting…</source>
        <translation>正在排序…</translation>
    </message>
    <message>
        <source>spans missing</source>
        <translation>缺少跨度</translation>
    </message>
    <message>
        <source>spans of a lane overlap</source>
        <translation>某个通道的跨度相互重叠</translation>
    </message>
    <message>
        <source>speed</source>
        <translation>速度</translation>
    </message>
    <message>
        <source>split size</source>
        <translation>拆分大小</translation>
    </message>
    <message>
        <source>split-imbalance</source>
        <translation>拆分不均</translation>
    </message>
    <message>
        <source>stage</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>stage {n}</source>
        <translation>阶段 {n}</translation>
    </message>
    <message>
        <source>stages</source>
        <translation>阶段</translation>
    </message>
    <message>
        <source>stages {a} and {b} of {c} share a parameter ({d}); use fewer stages, or a strategy that keeps it whole</source>
        <translation>{c} 的阶段 {a} 和 {b} 共用一个参数（{d}）；请减少阶段数，或使用使其保持完整的策略</translation>
    </message>
    <message>
        <source>start</source>
        <translation>开始</translation>
    </message>
    <message>
        <source>start to start {time}</source>
        <translation>起点到起点 {time}</translation>
    </message>
    <message>
        <source>starting…</source>
        <translation>正在启动…</translation>
    </message>
    <message>
        <source>state</source>
        <translation>状态</translation>
    </message>
    <message>
        <source>step</source>
        <translation>步</translation>
    </message>
    <message>
        <source>step at hand</source>
        <translation>当前步</translation>
    </message>
    <message>
        <source>step at hand: {step}</source>
        <translation>当前步：{step}</translation>
    </message>
    <message>
        <source>step {a} comes again</source>
        <translation>第 {a} 步重复出现</translation>
    </message>
    <message>
        <source>step {a}: task {b} never ended</source>
        <translation>步 {a}：任务 {b} 一直未结束</translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation>步 {number}</translation>
    </message>
    <message>
        <source>step {n} of {total}</source>
        <translation>步 {n} / {total}</translation>
    </message>
    <message>
        <source>steps</source>
        <translation>步数</translation>
    </message>
    <message>
        <source>steps {a} to {b}</source>
        <translation>步 {a} 至 {b}</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>已停止</translation>
    </message>
    <message>
        <source>strategy</source>
        <translation>策略</translation>
    </message>
    <message>
        <source>taken from the last measured step</source>
        <translation>取自最后一个实测步</translation>
    </message>
    <message>
        <source>taken from the last warm-up step</source>
        <translation>取自最后一个预热步</translation>
    </message>
    <message>
        <source>task</source>
        <translation>任务</translation>
    </message>
    <message>
        <source>task {a} ({b}) waits for task {c}, which comes later</source>
        <translation>任务 {a}（{b}）等待之后才出现的任务 {c}</translation>
    </message>
    <message>
        <source>the costs that the recording holds make no sense</source>
        <translation>录制文件中的开销不合理</translation>
    </message>
    <message>
        <source>the description of its tables is damaged</source>
        <translation>表的描述已损坏</translation>
    </message>
    <message>
        <source>the engine cannot read a command: {a}</source>
        <translation>引擎无法读取某条命令：{a}</translation>
    </message>
    <message>
        <source>the engine process {a}</source>
        <translation>引擎进程{a}</translation>
    </message>
    <message>
        <source>the first run</source>
        <translation>第一个运行</translation>
    </message>
    <message>
        <source>the first {shown} of {count} spans</source>
        <translation>{count} 个跨度中的前 {shown} 个</translation>
    </message>
    <message>
        <source>the median of {n} steps</source>
        <translation>{n} 步的中位步</translation>
    </message>
    <message>
        <source>the model has dropout: its gradients are random and cannot be compared</source>
        <translation>该模型含有 dropout：其梯度是随机的，无法比较</translation>
    </message>
    <message>
        <source>the model has parameters that its loss does not depend on, which DistributedDataParallel refuses: take them out of the model, or use --strategy fsdp</source>
        <translation>模型中有损失不依赖的参数，DistributedDataParallel 会拒绝：请从模型中去掉它们，或使用 --strategy fsdp</translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation>模型自带</translation>
    </message>
    <message>
        <source>the optimizer step</source>
        <translation>优化器步</translation>
    </message>
    <message>
        <source>the picture is {time} behind</source>
        <translation>画面滞后 {time}</translation>
    </message>
    <message>
        <source>the prediction failed: {a}: {b}</source>
        <translation>预测失败：{a}：{b}</translation>
    </message>
    <message>
        <source>the process has ended</source>
        <translation>该进程已结束</translation>
    </message>
    <message>
        <source>the process that predicts has ended; ask again to start it afresh</source>
        <translation>负责预测的进程已结束；再次请求即可重新启动它</translation>
    </message>
    <message>
        <source>the process {a}</source>
        <translation>该进程 {a}</translation>
    </message>
    <message>
        <source>the query has {a} statements; use one at a time</source>
        <translation>查询中有 {a} 条语句；请一次使用一条</translation>
    </message>
    <message>
        <source>the query is not text: it has bytes that are not UTF-8</source>
        <translation>查询不是文本：含有非 UTF-8 字节</translation>
    </message>
    <message>
        <source>the query needs more than {a} GB; add WHERE, LIMIT or GROUP BY</source>
        <translation>查询需要超过 {a} GB；请加 WHERE、LIMIT 或 GROUP BY</translation>
    </message>
    <message>
        <source>the query was stopped</source>
        <translation>查询已停止</translation>
    </message>
    <message>
        <source>the recording ended before the job: {a}</source>
        <translation>记录在作业结束之前就已终止:{a}</translation>
    </message>
    <message>
        <source>the run has no lanes that compute; compare runs that have some</source>
        <translation>该运行没有进行计算的通道；请比较有此类通道的运行</translation>
    </message>
    <message>
        <source>the run was not kept: {a}</source>
        <translation>该运行未被保留：{a}</translation>
    </message>
    <message>
        <source>the same as of A</source>
        <translation>与 A 相同</translation>
    </message>
    <message>
        <source>the schedule deadlocks at {a}: {b}</source>
        <translation>该调度在 {a} 处死锁：{b}</translation>
    </message>
    <message>
        <source>the schedule misses {a}</source>
        <translation>该调度缺少 {a}</translation>
    </message>
    <message>
        <source>the schedule&apos;s own</source>
        <translation>调度自带</translation>
    </message>
    <message>
        <source>the second run</source>
        <translation>第二个运行</translation>
    </message>
    <message>
        <source>the step</source>
        <translation>该步</translation>
    </message>
    <message>
        <source>the steps of an imported trace come after its spans</source>
        <translation>导入跟踪的步出现在其区间之后</translation>
    </message>
    <message>
        <source>there are lanes 0 to {a}</source>
        <translation>有通道 0 至 {a}</translation>
    </message>
    <message>
        <source>there are no spans to join</source>
        <translation>没有可连接的跨度</translation>
    </message>
    <message>
        <source>there is lane 0 alone</source>
        <translation>只有通道 0</translation>
    </message>
    <message>
        <source>there is no lane {a}, only {b}</source>
        <translation>没有通道 {a}，只有 {b}</translation>
    </message>
    <message>
        <source>there is no memory beside the run&apos;s to measure its costs in</source>
        <translation>除运行本身所用之外没有内存可用于测量其开销</translation>
    </message>
    <message>
        <source>there is no memory beside the run&apos;s to run each task untimed first</source>
        <translation>除运行本身外没有内存可用于让每个任务先不计时地运行一次</translation>
    </message>
    <message>
        <source>there is no model for {a} that gives logits of text or images</source>
        <translation>{a} 没有给出文本或图像 logits 的模型</translation>
    </message>
    <message>
        <source>there is no query; use one that gives rows, such as FROM steps</source>
        <translation>没有查询；请使用会返回行的查询，例如 FROM steps</translation>
    </message>
    <message>
        <source>there is no room for it</source>
        <translation>没有空间容纳它</translation>
    </message>
    <message>
        <source>there is no schedule {a}; use {b} or a file that ends in .csv</source>
        <translation>没有调度 {a}；请使用 {b} 或以 .csv 结尾的文件</translation>
    </message>
    <message>
        <source>there is no strategy {a}; use {b}</source>
        <translation>没有策略 {a}；请使用 {b}</translation>
    </message>
    <message>
        <source>there is no {a} {b}; use {c} or a file that ends in {d}</source>
        <translation>没有 {a} {b}；请使用 {c} 或以 {d} 结尾的文件</translation>
    </message>
    <message>
        <source>there is no {a}: this machine has {b}; CPU lanes are 2xcpu</source>
        <translation>没有 {a}：本机有 {b}；CPU 通道写作 2xcpu</translation>
    </message>
    <message>
        <source>there is none in it, nor a recording of a rank ({a})</source>
        <translation>其中没有，也没有 rank 的录制文件（{a}）</translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation>内存不足</translation>
    </message>
    <message>
        <source>there is not enough memory for this prediction</source>
        <translation>内存不足，无法进行此预测</translation>
    </message>
    <message>
        <source>they belong to another run, of {a}</source>
        <translation>它们属于另一个运行，即 {a} 的运行</translation>
    </message>
    <message>
        <source>time</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>time of day, ± 1 s</source>
        <translation>钟点，± 1 s</translation>
    </message>
    <message>
        <source>timed by the host</source>
        <translation>由主机计时</translation>
    </message>
    <message>
        <source>times</source>
        <translation>时间</translation>
    </message>
    <message>
        <source>times are</source>
        <translation>时间为</translation>
    </message>
    <message>
        <source>torch cannot be imported ({a}); {b}</source>
        <translation>无法导入 torch（{a}）；{b}</translation>
    </message>
    <message>
        <source>torch runs the ranks by itself: their blocks are not recorded.</source>
        <translation>torch 自行运行各 rank：不录制它们的块。</translation>
    </message>
    <message>
        <source>torchrun cannot be started: {a}</source>
        <translation>无法启动 torchrun：{a}</translation>
    </message>
    <message>
        <source>tp splits a gpt, or an mlp of two layers or more; this {a} cannot be split</source>
        <translation>tp 拆分 gpt，或两层及以上的 mlp；此 {a} 无法拆分</translation>
    </message>
    <message>
        <source>transfer</source>
        <translation>传输</translation>
    </message>
    <message>
        <source>tritanopia</source>
        <translation>蓝色盲</translation>
    </message>
    <message>
        <source>two-column</source>
        <translation>双栏</translation>
    </message>
    <message>
        <source>uneven split</source>
        <translation>拆分不均</translation>
    </message>
    <message>
        <source>up to 8</source>
        <translation>最多 8</translation>
    </message>
    <message>
        <source>up to {a}</source>
        <translation>最多 {a}</translation>
    </message>
    <message>
        <source>update</source>
        <translation>更新</translation>
    </message>
    <message>
        <source>update for all</source>
        <translation>为所有副本更新</translation>
    </message>
    <message>
        <source>update the model</source>
        <translation>更新模型</translation>
    </message>
    <message>
        <source>update-for-all</source>
        <translation>为所有副本更新</translation>
    </message>
    <message>
        <source>use 0F0, 0B0, 0I0, 0W0 or (0F1;1B0)OVERLAP_F_B with numbers up to 32766</source>
        <translation>请使用 0F0、0B0、0I0、0W0 或 (0F1;1B0)OVERLAP_F_B，数字最大为 32766</translation>
    </message>
    <message>
        <source>use a file that Bubblescope wrote</source>
        <translation>请使用 Bubblescope 写出的文件</translation>
    </message>
    <message>
        <source>use {a} or more, at most {b}{c}</source>
        <translation>请使用 {a} 或更大，最多 {b}{c}</translation>
    </message>
    <message>
        <source>usual</source>
        <translation>常用</translation>
    </message>
    <message>
        <source>verify</source>
        <translation>校验</translation>
    </message>
    <message>
        <source>virtual clock: each task measured alone, {a}</source>
        <translation>虚拟时钟：每个任务单独测量，{a}</translation>
    </message>
    <message>
        <source>waited {time} for ranks</source>
        <translation>等待 rank {time}</translation>
    </message>
    <message>
        <source>waiting</source>
        <translation>等待</translation>
    </message>
    <message>
        <source>waiting for collectives to move data</source>
        <translation>等待集合通信移动数据</translation>
    </message>
    <message>
        <source>waiting for copies</source>
        <translation>等待拷贝</translation>
    </message>
    <message>
        <source>waiting for copies between lanes</source>
        <translation>等待通道之间的拷贝</translation>
    </message>
    <message>
        <source>waiting for data</source>
        <translation>等待数据</translation>
    </message>
    <message>
        <source>waiting for other lanes&apos; computing</source>
        <translation>等待其他通道的计算</translation>
    </message>
    <message>
        <source>waiting for other streams of the device</source>
        <translation>等待设备的其他流</translation>
    </message>
    <message>
        <source>waiting for reasons that the trace does not tell</source>
        <translation>因跟踪中没有说明的原因等待</translation>
    </message>
    <message>
        <source>waiting for the device that works for all</source>
        <translation>等待为所有通道工作的设备</translation>
    </message>
    <message>
        <source>waiting for the host</source>
        <translation>等待主机</translation>
    </message>
    <message>
        <source>waiting for {who}</source>
        <translation>等待 {who}</translation>
    </message>
    <message>
        <source>waiting for {who} to compute</source>
        <translation>等待 {who} 计算</translation>
    </message>
    <message>
        <source>waiting for {who} to reach a collective</source>
        <translation>等待 {who} 到达集合通信</translation>
    </message>
    <message>
        <source>waiting for {who}, with more rows</source>
        <translation>等待行数更多的 {who}</translation>
    </message>
    <message>
        <source>waiting in collectives</source>
        <translation>在集合通信中等待</translation>
    </message>
    <message>
        <source>waits for ranks</source>
        <translation>等待 rank</translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>warm-up only</source>
        <translation>仅预热</translation>
    </message>
    <message>
        <source>warm-up {number}</source>
        <translation>预热 {number}</translation>
    </message>
    <message>
        <source>warm-up {n} of {total}</source>
        <translation>预热 {n} / {total}</translation>
    </message>
    <message>
        <source>warmup</source>
        <translation>预热</translation>
    </message>
    <message>
        <source>warning</source>
        <translation>警告</translation>
    </message>
    <message>
        <source>was ended after {a} s, inside a long operation</source>
        <translation>在一个长操作中，于 {a} 秒后被终止</translation>
    </message>
    <message>
        <source>was ended by {a}{b}</source>
        <translation>被 {a} 终止{b}</translation>
    </message>
    <message>
        <source>web</source>
        <translation>网页</translation>
    </message>
    <message>
        <source>weights</source>
        <translation>权重</translation>
    </message>
    <message>
        <source>what</source>
        <translation>内容</translation>
    </message>
    <message>
        <source>what is packed in it is damaged</source>
        <translation>其中打包的内容已损坏</translation>
    </message>
    <message>
        <source>what the ranks tell makes no sense: {a}</source>
        <translation>各 rank 发送的内容不合理：{a}</translation>
    </message>
    <message>
        <source>what was said</source>
        <translation>消息内容</translation>
    </message>
    <message>
        <source>where spans are missing</source>
        <translation>缺少跨度之处</translation>
    </message>
    <message>
        <source>while another stream of the device works</source>
        <translation>设备的另一个流正在工作</translation>
    </message>
    <message>
        <source>while the pipeline drains</source>
        <translation>流水线排空期间</translation>
    </message>
    <message>
        <source>while the pipeline fills</source>
        <translation>流水线填充期间</translation>
    </message>
    <message>
        <source>whole batches</source>
        <translation>完整批次</translation>
    </message>
    <message>
        <source>whole run</source>
        <translation>整个运行</translation>
    </message>
    <message>
        <source>width</source>
        <translation>宽度</translation>
    </message>
    <message>
        <source>width 1 instead of {a}</source>
        <translation>宽度 1，而不是 {a}</translation>
    </message>
    <message>
        <source>width {b} instead of {a}</source>
        <translation>宽度 {b}，而不是 {a}</translation>
    </message>
    <message>
        <source>w{number}</source>
        <translation>w{number}</translation>
    </message>
    <message>
        <source>yes</source>
        <translation>是</translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation>是或否</translation>
    </message>
    <message>
        <source>{a} a second time</source>
        <translation>{a} 出现第二次</translation>
    </message>
    <message>
        <source>{a} against {b}</source>
        <translation>{a} 对比 {b}</translation>
    </message>
    <message>
        <source>{a} cannot be read as a schedule</source>
        <translation>{a} 无法作为调度读取</translation>
    </message>
    <message>
        <source>{a} cannot be read as a trace in Chrome&apos;s format</source>
        <translation>{a} 无法作为 Chrome 格式的追踪读取</translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}</source>
        <translation>{a} 无法读取：{b}</translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}</source>
        <translation>{a} 无法写入：{b}</translation>
    </message>
    <message>
        <source>{a} columns; use at most {b}</source>
        <translation>{a} 列；最多使用 {b} 列</translation>
    </message>
    <message>
        <source>{a} did not end a step in {b} s</source>
        <translation>{a} 未在 {b} 秒内结束一步</translation>
    </message>
    <message>
        <source>{a} gives no rows; use a query that does, such as FROM steps</source>
        <translation>{a} 不返回行；请使用会返回行的查询，例如 FROM steps</translation>
    </message>
    <message>
        <source>{a} continues after the recording&apos;s end: its last {b} bytes are not shown</source>
        <translation>{a} 在录制结束之后还有内容：其最后 {b} 字节不显示</translation>
    </message>
    <message>
        <source>{a} has a damaged header: {b}</source>
        <translation>{a} 的文件头已损坏：{b}</translation>
    </message>
    <message>
        <source>{a} has format {b}; this version reads format {c}: record it again</source>
        <translation>{a} 的格式为 {b}；此版本读取格式 {c}：请重新录制</translation>
    </message>
    <message>
        <source>{a} has no complete event (ph X) that says when it ran</source>
        <translation>{a} 没有说明何时运行的完整事件 (ph X)</translation>
    </message>
    <message>
        <source>{a} has no index, so it is held in memory: {b}</source>
        <translation>{a} 没有索引，因此保存在内存中：{b}</translation>
    </message>
    <message>
        <source>{a} has no step {b}; it has {c} to {d}</source>
        <translation>{a} 没有步 {b}；它有步 {c} 至 {d}</translation>
    </message>
    <message>
        <source>{a} has no timed events: spans are the host&apos;s times, of work alone</source>
        <translation>{a} 没有计时事件：跨度是主机的时间，且仅含工作本身</translation>
    </message>
    <message>
        <source>{a} has no whole step to compare; use one that has run some</source>
        <translation>{a} 没有可比较的完整步；请使用运行过若干步的</translation>
    </message>
    <message>
        <source>{a} has {b} streams for {c} lanes: lanes that share one take turns</source>
        <translation>{a} 有 {b} 个流供 {c} 个通道使用：共用一个流的通道轮流执行</translation>
    </message>
    <message>
        <source>{a} holds no action</source>
        <translation>{a} 中没有动作</translation>
    </message>
    <message>
        <source>{a} is an Arrow stream, but not a recording of Bubblescope</source>
        <translation>{a} 是 Arrow 流，但不是 Bubblescope 的录制文件</translation>
    </message>
    <message>
        <source>{a} is damaged</source>
        <translation>{a} 已损坏</translation>
    </message>
    <message>
        <source>{a} is damaged: its columns are not those of a recording</source>
        <translation>{a} 已损坏：其列不是录制文件的列</translation>
    </message>
    <message>
        <source>{a} is for {b} micro-batches, not {c}</source>
        <translation>{a} 用于 {b} 个微批次，而不是 {c} 个</translation>
    </message>
    <message>
        <source>{a} is named for two outputs; use a file for each</source>
        <translation>两个输出都指定了 {a}；请各用一个文件</translation>
    </message>
    <message>
        <source>{a} is not a mark; {b}</source>
        <translation>{a} 不是标记；{b}</translation>
    </message>
    <message>
        <source>{a} is no recording: it does not begin as an Arrow stream does</source>
        <translation>{a} 不是录制文件：它的开头不是 Arrow 流</translation>
    </message>
    <message>
        <source>{a} is no recording: {b}</source>
        <translation>{a} 不是录制文件：{b}</translation>
    </message>
    <message>
        <source>{a} is not for {b}; it is for {c}</source>
        <translation>{a} 不适用于 {b}；它适用于 {c}</translation>
    </message>
    <message>
        <source>{a} is of no stage: only plans of stages have a schedule</source>
        <translation>{a} 不属于任何阶段：只有分阶段的计划才有调度</translation>
    </message>
    <message>
        <source>{a} lanes do not divide {b} {c}; use {d}{e} lanes</source>
        <translation>{a} 个通道不能整除 {b} {c}；请使用 {d}{e} 个通道</translation>
    </message>
    <message>
        <source>{a} lanes share {b}</source>
        <translation>{a} 个通道共用 {b}</translation>
    </message>
    <message>
        <source>{a} lanes share {b} cores</source>
        <translation>{a} 个通道共用 {b} 个核心</translation>
    </message>
    <message>
        <source>{a} line {b} holds no action; each line is a rank&apos;s</source>
        <translation>{a} 第 {b} 行没有动作；每一行对应一个 rank</translation>
    </message>
    <message>
        <source>{a} line {b}, cell {c}</source>
        <translation>{a} 第 {b} 行，单元格 {c}</translation>
    </message>
    <message>
        <source>{a} lists a block twice, and each is timed by itself in a rank; put both uses into one block</source>
        <translation>{a} 将一个块列出了两次，而 rank 中每个块各自计时；请将两处使用放入一个块</translation>
    </message>
    <message>
        <source>{a} micro-batches on {b} ranks make no {c} equal rounds: use a multiple of {d}</source>
        <translation>{b} 个 rank 上的 {a} 个微批次无法构成 {c} 个相等的轮次：请使用 {d} 的倍数</translation>
    </message>
    <message>
        <source>{a} micro-batches through {b} stages are {c} passes: use fewer of them, so that there are at most {d}</source>
        <translation>{a} 个微批次通过 {b} 个阶段共 {c} 趟：请减少，使其最多为 {d} 趟</translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B: it adds {adds} ms to B&apos;s step.</source>
        <translation>A 中 {a} ms，B 中 {b} ms：给 B 的步增加 {adds} ms。</translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B; it costs only what compute lanes wait for.</source>
        <translation>A 中 {a} ms，B 中 {b} ms；只有计算通道等待的部分才有代价。</translation>
    </message>
    <message>
        <source>{a} of replica {b}, but micro-batch {c} is replica {d}&apos;s</source>
        <translation>副本 {b} 的 {a}，但微批次 {c} 属于副本 {d}</translation>
    </message>
    <message>
        <source>{a} of {b} ranks had connected</source>
        <translation>{b} 个 rank 中有 {a} 个已连接</translation>
    </message>
    <message>
        <source>{a} of {b} tasks have no span ({c}{d})</source>
        <translation>{b} 个任务中有 {a} 个没有跨度（{c}{d}）</translation>
    </message>
    <message>
        <source>{a} operations were left out: no optimizer ended their step</source>
        <translation>省略了 {a} 个操作:没有优化器结束它们所在的步</translation>
    </message>
    <message>
        <source>{a} parts of the range are not counted yet</source>
        <translation>该范围中有 {a} 部分尚未统计</translation>
    </message>
    <message>
        <source>{a} ranks on {b}; all steps begin together</source>
        <translation>{b} 上的 {a} 个 rank；所有步同时开始</translation>
    </message>
    <message>
        <source>{a} replicas do not divide {b} lanes; use a number that does</source>
        <translation>{a} 个副本不能整除 {b} 个通道；请使用能整除的数</translation>
    </message>
    <message>
        <source>{a} rows do not divide by {b} ranks: shared unpadded as {c}; DistributedSampler would repeat {d} rows instead</source>
        <translation>{a} 行不能被 {b} 个 rank 整除：不填充，按 {c} 分配；DistributedSampler 则会重复 {d} 行</translation>
    </message>
    <message>
        <source>{a} runs {b}: a backward is over all micro-batches where there is one loss for all of them, and only there</source>
        <translation>{a} 运行 {b}：仅当所有微批次共用一个损失时，反向才覆盖所有微批次</translation>
    </message>
    <message>
        <source>{a} runs: use at most {b}</source>
        <translation>{a} 个运行：请最多使用 {b} 个</translation>
    </message>
    <message>
        <source>{a} spans are of tasks that have one already</source>
        <translation>{a} 个跨度所属的任务已有跨度</translation>
    </message>
    <message>
        <source>{a} stages cannot be shared in lanes of {b} chunks: use a multiple of {c}</source>
        <translation>{a} 个阶段无法分配到各含 {b} 个分块的通道：请使用 {c} 的倍数</translation>
    </message>
    <message>
        <source>{a} stages need at least {b} blocks, but {c} has {d}: use at most {e} stages</source>
        <translation>{a} 个阶段至少需要 {b} 个块，但 {c} 有 {d} 个：请最多使用 {e} 个阶段</translation>
    </message>
    <message>
        <source>{a} steps are not in every rank&apos;s stream: they are left out</source>
        <translation>有 {a} 个步并非出现在每个 rank 的流中：它们被略去</translation>
    </message>
    <message>
        <source>{a} was cut before its first batch: there is nothing to show</source>
        <translation>{a} 在第一批之前就被截断：没有可显示的内容</translation>
    </message>
    <message>
        <source>{a} weights cannot make {b} runs</source>
        <translation>{a} 个权重无法构成 {b} 段</translation>
    </message>
    <message>
        <source>{a} {b} and {c} {d} exclude each other; use one of them</source>
        <translation>{a} {b} 与 {c} {d} 互斥；请只用其一</translation>
    </message>
    <message>
        <source>{a} {b} is a limit for {c}; add that</source>
        <translation>{a} {b} 是对 {c} 的限制；请同时加上后者</translation>
    </message>
    <message>
        <source>{a} {b} is for virtual lanes, and {c} is a real one; use --devices {d}xvirtual</source>
        <translation>{a} {b} 用于虚拟通道，而 {c} 是真实通道；请使用 --devices {d}xvirtual</translation>
    </message>
    <message>
        <source>{a} {b} is not for {c}, which takes {d}</source>
        <translation>{a} {b} 不适用于 {c}，它接受 {d}</translation>
    </message>
    <message>
        <source>{a} {b} need at least {c} rows, but {d} has {e}: use at most {f} {g}</source>
        <translation>{a} {b} 至少需要 {c} 行，但 {d} 有 {e} 行：请最多使用 {f} {g}</translation>
    </message>
    <message>
        <source>{a} {b}: it is shown up to its last whole batch, {c} spans</source>
        <translation>{a} {b}：显示到最后一个完整批，共 {c} 个跨度</translation>
    </message>
    <message>
        <source>{a} {b}: no task of this plan is there to be lengthened</source>
        <translation>{a} {b}：此计划中没有可延长的任务</translation>
    </message>
    <message>
        <source>{a} {b}: that is a folder; name a file</source>
        <translation>{a} {b}：这是文件夹；请指定文件</translation>
    </message>
    <message>
        <source>{a} {b}: that is there; name a new or an empty folder</source>
        <translation>{a} {b}：已存在；请指定一个新的或空的文件夹</translation>
    </message>
    <message>
        <source>{a} {b}: that is what is read; name another file</source>
        <translation>{a} {b}：这正是所读取的文件；请另起文件名</translation>
    </message>
    <message>
        <source>{a} {b}: there is no folder {c}; use one that exists</source>
        <translation>{a} {b}：没有文件夹 {c}；请使用已有的文件夹</translation>
    </message>
    <message>
        <source>{a} {b}: use {c}, each number below 10^9</source>
        <translation>{a} {b}：请使用 {c}，每个数都小于 10^9</translation>
    </message>
    <message>
        <source>{a} {b}: write &apos;{c}&apos; for {d} values, or &apos;{e}{f}&apos; for one with commas in it</source>
        <translation>{a} {b}：若为 {d} 个值，请写 &apos;{c}&apos;；若为一个含逗号的值，请写 &apos;{e}{f}&apos;</translation>
    </message>
    <message>
        <source>{a} {b}: {c} cannot be written; use a folder that can</source>
        <translation>{a} {b}：{c} 无法写入；请使用可写的文件夹</translation>
    </message>
    <message>
        <source>{a} {b}: {c} cannot be written; use one that can</source>
        <translation>{a} {b}：{c} 无法写入；请使用可写入的</translation>
    </message>
    <message>
        <source>{a} {b}: {c} is there twice</source>
        <translation>{a} {b}：{c} 出现了两次</translation>
    </message>
    <message>
        <source>{a} {b}:{c}: use a factor above 0</source>
        <translation>{a} {b}:{c}：请使用大于 0 的系数</translation>
    </message>
    <message>
        <source>{a}, but it holds {b}{c}</source>
        <translation>{a}，但它含有 {b}{c}</translation>
    </message>
    <message>
        <source>{a}, but micro-batches are 0 to {b}</source>
        <translation>{a}，但微批次为 0 至 {b}</translation>
    </message>
    <message>
        <source>{a}, or an epoch</source>
        <translation>{a}，或一个 epoch</translation>
    </message>
    <message>
        <source>{a}, which needs the number of a micro-batch</source>
        <translation>{a}，它需要微批次的编号</translation>
    </message>
    <message>
        <source>{a}: a value is missing; {b} is its own</source>
        <translation>{a}：缺少一个值；{b} 是其本身的值</translation>
    </message>
    <message>
        <source>{a}: faults are put into virtual lanes alone</source>
        <translation>{a}：故障只能加到虚拟通道中</translation>
    </message>
    <message>
        <source>{a}: faults are put into virtual lanes alone; use --devices {b}xvirtual</source>
        <translation>{a}：故障只能注入虚拟通道；请使用 --devices {b}xvirtual</translation>
    </message>
    <message>
        <source>{a}: it was built again</source>
        <translation>{a}：已重新生成</translation>
    </message>
    <message>
        <source>{a}: its marks are left out</source>
        <translation>{a}：略去其标记</translation>
    </message>
    <message>
        <source>{a}: name each {b} once</source>
        <translation>{a}：每个 {b} 只能指定一次</translation>
    </message>
    <message>
        <source>{a}: no task has a span</source>
        <translation>{a}：没有任务有跨度</translation>
    </message>
    <message>
        <source>{a}: nothing to look for; write a word, or a key such as kind:forward</source>
        <translation>{a}：没有要查找的内容；请写一个词，或一个键，例如 kind:forward</translation>
    </message>
    <message>
        <source>{a}: only a run measures the blocks to balance; use --borders, such as 3,7</source>
        <translation>{a}：只有运行才会测量要均衡的块；请使用 --borders，例如 3,7</translation>
    </message>
    <message>
        <source>{a}: stands between what one key may be, without spaces: kind:loss|step mb:2|5</source>
        <translation>{a}：它用在同一个键的多个取值之间，不加空格：kind:loss|step mb:2|5</translation>
    </message>
    <message>
        <source>{a}: the measured steps are 1 to {b}</source>
        <translation>{a}：实测步为 1 至 {b}</translation>
    </message>
    <message>
        <source>{a}: the schedule misses {b}F{c}</source>
        <translation>{a}：该调度缺少 {b}F{c}</translation>
    </message>
    <message>
        <source>{a}: there is no key {b}; use one of {c}</source>
        <translation>{a}：没有键 {b}；请使用 {c} 之一</translation>
    </message>
    <message>
        <source>{a}: there is no kind {b}; use {c}{d}</source>
        <translation>{a}：没有类型 {b}；请使用 {c}{d}</translation>
    </message>
    <message>
        <source>{a}: there is no such file</source>
        <translation>{a}：没有这个文件</translation>
    </message>
    <message>
        <source>{a}: write a duration as &gt;5ms, &lt;=10us, &gt;=1.5s or &lt;300ns</source>
        <translation>{a}：请将时长写成 &gt;5ms、&lt;=10us、&gt;=1.5s 或 &lt;300ns</translation>
    </message>
    <message>
        <source>{a}: {b} is empty; write the smaller number first: {c}-{d}</source>
        <translation>{a}：{b} 为空；请先写较小的数：{c}-{d}</translation>
    </message>
    <message>
        <source>{a}: {b} is no action; {c}</source>
        <translation>{a}：{b} 不是动作；{c}</translation>
    </message>
    <message>
        <source>{a}: {b} is no number; {c} takes {d}{e}</source>
        <translation>{a}：{b} 不是数；{c} 接受 {d}{e}</translation>
    </message>
    <message>
        <source>{a}{b}; tables are {c}</source>
        <translation>{a}{b}；表有 {c}</translation>
    </message>
    <message>
        <source>{blocking} and {n} more</source>
        <translation>{blocking} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>{b} cores a lane instead of {a}</source>
        <translation>每通道 {b} 个核心，而不是 {a} 个</translation>
    </message>
    <message>
        <source>{b} instead of {a}</source>
        <translation>{b}，而不是 {a}</translation>
    </message>
    <message>
        <source>{b} lanes instead of {a}</source>
        <translation>{b} 个通道，而不是 {a} 个</translation>
    </message>
    <message>
        <source>{b} micro-batches instead of {a}</source>
        <translation>{b} 个微批次，而不是 {a} 个</translation>
    </message>
    <message>
        <source>{b} replicas instead of {a}</source>
        <translation>{b} 个副本，而不是 {a} 个</translation>
    </message>
    <message>
        <source>{b} rows instead of {a}</source>
        <translation>{b} 行，而不是 {a} 行</translation>
    </message>
    <message>
        <source>{b} stages instead of {a}</source>
        <translation>{b} 个阶段，而不是 {a} 个</translation>
    </message>
    <message>
        <source>{collective}: who came last is not certain; wait {wait} ± {clock}, transfer {transfer} ± {clock}</source>
        <translation>{collective}：谁最后到达不确定；等待 {wait} ± {clock}，传输 {transfer} ± {clock}</translation>
    </message>
    <message>
        <source>{collective}: {lane} came last ({count} of {times}); wait {wait}, transfer {transfer}</source>
        <translation>{collective}：{lane} 最后到达（{times} 次中的 {count} 次）；等待 {wait}，传输 {transfer}</translation>
    </message>
    <message>
        <source>{cores} cores a lane</source>
        <translation>每通道 {cores} 个核心</translation>
    </message>
    <message>
        <source>{count} hits</source>
        <translation>{count} 个匹配</translation>
    </message>
    <message>
        <source>{count} measured steps</source>
        <translation>{count} 个实测步</translation>
    </message>
    <message>
        <source>{count} of {all} spans</source>
        <translation>{count} / {all} 个跨度</translation>
    </message>
    <message>
        <source>{count} of {lanes} lanes get no rows.</source>
        <translation>{lanes} 个通道中有 {count} 个没有分到行。</translation>
    </message>
    <message>
        <source>{count} runs of this sitting are in no file yet.</source>
        <translation>本次会话中有 {count} 个运行尚未保存到任何文件。</translation>
    </message>
    <message>
        <source>{count} so far, {share}</source>
        <translation>目前 {count}，{share}</translation>
    </message>
    <message>
        <source>{count} spans</source>
        <translation>{count} 个跨度</translation>
    </message>
    <message>
        <source>{count} spans in {time} on {lane}</source>
        <translation>{lane} 上 {time} 内有 {count} 个跨度</translation>
    </message>
    <message>
        <source>{count} steps recorded</source>
        <translation>已录制 {count} 步</translation>
    </message>
    <message>
        <source>{cut} by the range: their parts inside count in times, and they count whole in counts, means, percentiles, maxima and the histogram.</source>
        <translation>{cut} 个被范围截断：时间只计范围内的部分，而计数、平均、百分位、最大值和直方图按完整跨度计。</translation>
    </message>
    <message>
        <source>{device} computes for {most} a step, a device on average for {mean}: evenly divided that would be up to {loss} less ({share}).</source>
        <translation>{device} 每步计算 {most}，设备平均为 {mean}：均分后最多可少 {loss}（{share}）。</translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; Run sweep goes on.</source>
        <translation>已完成 {done} / {all} 个运行；按“运行扫描”可继续。</translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; now {now}.</source>
        <translation>已完成 {done} / {all} 个运行；当前：{now}。</translation>
    </message>
    <message>
        <source>{duration} for others</source>
        <translation>{duration}，等待其他</translation>
    </message>
    <message>
        <source>{duration} for {blocking} on {place}: {cause}</source>
        <translation>{duration}，等待 {place} 上的 {blocking}：{cause}</translation>
    </message>
    <message>
        <source>{duration} while {action} ({blocking})</source>
        <translation>{duration}，其间 {action}（{blocking}）</translation>
    </message>
    <message>
        <source>{duration}: {cause}</source>
        <translation>{duration}：{cause}</translation>
    </message>
    <message>
        <source>{family} is too faint: {ratio}:1 against the plot, at least 3:1 is needed.</source>
        <translation>{family} 太淡：与绘图区的对比度为 {ratio}:1，至少需要 3:1。</translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation>{first} 至 {last}</translation>
    </message>
    <message>
        <source>{first} to {last}: {spans}, {share}</source>
        <translation>{first} 至 {last}：{spans}，{share}</translation>
    </message>
    <message>
        <source>{forward} forward, {backward} backward</source>
        <translation>前向 {forward}，反向 {backward}</translation>
    </message>
    <message>
        <source>{here} of {world} ranks are connected.</source>
        <translation>{world} 个 rank 中已连接 {here} 个。</translation>
    </message>
    <message>
        <source>{hits}, cancelled</source>
        <translation>{hits}，已取消</translation>
    </message>
    <message>
        <source>{idle} ({least} to {most})</source>
        <translation>{idle}（{least} 至 {most}）</translation>
    </message>
    <message>
        <source>{lanes} lanes</source>
        <translation>{lanes} 个通道</translation>
    </message>
    <message>
        <source>{lanes} lanes, {tasks} tasks: makespan {makespan}, bubble {bubble}</source>
        <translation>{lanes} 个通道，{tasks} 个任务：总时长 {makespan}，气泡 {bubble}</translation>
    </message>
    <message>
        <source>{lane} computes the loss</source>
        <translation>{lane} 计算损失</translation>
    </message>
    <message>
        <source>{lane} computes {measured}, predicted {predicted}{error}</source>
        <translation>{lane} 计算 {measured}，预测 {predicted}{error}</translation>
    </message>
    <message>
        <source>{lane} copies the model</source>
        <translation>{lane} 拷贝模型</translation>
    </message>
    <message>
        <source>{lane} gathers or reduces</source>
        <translation>{lane} 收集或归约</translation>
    </message>
    <message>
        <source>{lane} holds {size}, of it activations {part}</source>
        <translation>{lane} 占用 {size}，其中激活 {part}</translation>
    </message>
    <message>
        <source>{lane} is chosen. {more}</source>
        <translation>已选择 {lane}。{more}</translation>
    </message>
    <message>
        <source>{lane} is idle</source>
        <translation>{lane} 空闲</translation>
    </message>
    <message>
        <source>{lane} is idle for {time}</source>
        <translation>{lane} 空闲 {time}</translation>
    </message>
    <message>
        <source>{lane} is idle for {time}, {share} of the step: {cause}.</source>
        <translation>{lane} 空闲 {time}，占该步的 {share}：{cause}。</translation>
    </message>
    <message>
        <source>{lane} scatters</source>
        <translation>{lane} 分发</translation>
    </message>
    <message>
        <source>{lane} updates the model</source>
        <translation>{lane} 更新模型</translation>
    </message>
    <message>
        <source>{lane} waits {duration}: {reasons}</source>
        <translation>{lane} 等待 {duration}：{reasons}</translation>
    </message>
    <message>
        <source>{lane} waits {reason}</source>
        <translation>{lane} 等待 {reason}</translation>
    </message>
    <message>
        <source>{lane} waits {time}</source>
        <translation>{lane} 等待 {time}</translation>
    </message>
    <message>
        <source>{lane} works</source>
        <translation>{lane} 工作</translation>
    </message>
    <message>
        <source>{latency} µs, {bandwidth} GB/s</source>
        <translation>{latency} µs，{bandwidth} GB/s</translation>
    </message>
    <message>
        <source>{least} to {most}</source>
        <translation>{least} 至 {most}</translation>
    </message>
    <message>
        <source>{least} to {most} rows</source>
        <translation>{least} 至 {most} 行</translation>
    </message>
    <message>
        <source>{letter}: {run}</source>
        <translation>{letter}：{run}</translation>
    </message>
    <message>
        <source>{low} to {high}</source>
        <translation>{low} 至 {high}</translation>
    </message>
    <message>
        <source>{model}, batch {rows}, {lanes} lanes. Costs {source}.</source>
        <translation>{model}，批次 {rows}，{lanes} 个通道。开销 {source}。</translation>
    </message>
    <message>
        <source>{model}, {rows} rows: {source}.</source>
        <translation>{model}，{rows} 行：{source}。</translation>
    </message>
    <message>
        <source>{moment} since {start}</source>
        <translation>{moment}（起点：{start}）</translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation>{names} 以及另外 {n} 个</translation>
    </message>
    <message>
        <source>{name} (missing)</source>
        <translation>{name}（缺失）</translation>
    </message>
    <message>
        <source>{name} is incomplete: {fault}{more}</source>
        <translation>{name} 不完整：{fault}{more}</translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation>{number} / {count}</translation>
    </message>
    <message>
        <source>{number}: {name}, forward {forward}, backward {backward}, {share} of the time</source>
        <translation>{number}：{name}，前向 {forward}，反向 {backward}，占时间 {share}</translation>
    </message>
    <message>
        <source>{number}: {name}, {parameters} parameters, {share} of all</source>
        <translation>{number}：{name}，{parameters} 个参数，占全部的 {share}</translation>
    </message>
    <message>
        <source>{number}: {title}</source>
        <translation>{number}：{title}</translation>
    </message>
    <message>
        <source>{n} arrows lack their beginning or their end.</source>
        <translation>{n} 个箭头缺少起点或终点。</translation>
    </message>
    <message>
        <source>{n} collectives have no end time: each is shown as a moment.</source>
        <translation>{n} 个集合通信未说明何时结束：各显示为一个时刻。</translation>
    </message>
    <message>
        <source>{n} earlier steps on screen were not searched.</source>
        <translation>屏幕上有 {n} 个更早的步未被搜索。</translation>
    </message>
    <message>
        <source>{n} events had not ended when the next of their row began: they are shown up to there, shorter by less than 1 %.</source>
        <translation>{n} 个事件在同一行的下一个事件开始时尚未结束：显示到该处为止，缩短不到 1%。</translation>
    </message>
    <message>
        <source>{n} events of kinds that are not shown are left out.</source>
        <translation>略去了 {n} 个不显示类型的事件。</translation>
    </message>
    <message>
        <source>{n} events overlap others of their row without being nested in them: they are shown in separate rows.</source>
        <translation>{n} 个事件与同一行的其他事件重叠但不属于它们：它们各有自己的行。</translation>
    </message>
    <message>
        <source>{n} events that begin and never end are left out.</source>
        <translation>略去了 {n} 个有开始而无结束的事件。</translation>
    </message>
    <message>
        <source>{n} events that end and never began are left out.</source>
        <translation>略去了 {n} 个有结束而无开始的事件。</translation>
    </message>
    <message>
        <source>{n} events without a time are left out.</source>
        <translation>略去了 {n} 个没有时间的事件。</translation>
    </message>
    <message>
        <source>{n} files have the same rank as another file.</source>
        <translation>{n} 个文件的 rank 与另一文件相同。</translation>
    </message>
    <message>
        <source>{n} files do not contain their rank: it is taken from the order of their names.</source>
        <translation>{n} 个文件未说明其 rank：按名称顺序确定。</translation>
    </message>
    <message>
        <source>{n} files of the folder cannot be read.</source>
        <translation>文件夹中有 {n} 个文件无法读取。</translation>
    </message>
    <message>
        <source>{n} further lanes are not listed.</source>
        <translation>另有 {n} 个通道未列出。</translation>
    </message>
    <message>
        <source>{n} lanes</source>
        <translation>{n} 个通道</translation>
    </message>
    <message>
        <source>{n} measured steps of {least} to {most} ms</source>
        <translation>{n} 个实测步，{least} 至 {most} ms</translation>
    </message>
    <message>
        <source>{n} names of processes or threads cannot be read: numbers are shown instead.</source>
        <translation>{n} 个进程或线程的名称无法读取：以编号代替。</translation>
    </message>
    <message>
        <source>{n} process numbers are used for two things: these are shown separately.</source>
        <translation>{n} 个进程编号对应两个对象：已加以区分。</translation>
    </message>
    <message>
        <source>{n} of {count} arrows; zoom in</source>
        <translation>{n} / {count} 个箭头；请放大</translation>
    </message>
    <message>
        <source>{n} of {count} files cannot be opened: {problems}</source>
        <translation>{count} 个文件中有 {n} 个无法打开：{problems}</translation>
    </message>
    <message>
        <source>{n} packets could not be read: they are left out.</source>
        <translation>{n} 个数据包无法读取：已略去。</translation>
    </message>
    <message>
        <source>{n} ranks have no time in common with the first: each begins at 0.</source>
        <translation>{n} 个 rank 与第一个没有共同时间：各自从 0 开始。</translation>
    </message>
    <message>
        <source>{n} rows of the database have no valid time: they are left out.</source>
        <translation>略去了数据库中 {n} 个没有有效时间的行。</translation>
    </message>
    <message>
        <source>{n} spans</source>
        <translation>{n} 个跨度</translation>
    </message>
    <message>
        <source>{n} spans are cut</source>
        <translation>{n} 个跨度被截断</translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation>{n} 步</translation>
    </message>
    <message>
        <source>{n} tasks matched</source>
        <translation>匹配了 {n} 个任务</translation>
    </message>
    <message>
        <source>{n} tasks of a device have no call that launched them.</source>
        <translation>设备的 {n} 个任务没有启动它们的调用。</translation>
    </message>
    <message>
        <source>{n} tasks still run and are not counted.</source>
        <translation>{n} 个任务仍在运行，未计入。</translation>
    </message>
    <message>
        <source>{n} warm-up steps</source>
        <translation>{n} 个预热步</translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <translation>{one} 和 {other}</translation>
    </message>
    <message>
        <source>{one} and {other} are hard to tell apart with {vision}.</source>
        <translation>在{vision}下，{one} 和 {other} 难以区分。</translation>
    </message>
    <message>
        <source>{rows} rows</source>
        <translation>{rows} 行</translation>
    </message>
    <message>
        <source>{schedule} has no formula for these numbers.</source>
        <translation>{schedule} 对这些数值没有公式。</translation>
    </message>
    <message>
        <source>{schedule} says itself how many stages a device holds: {chunks}.</source>
        <translation>{schedule} 自行决定每个设备持有多少个阶段：{chunks}。</translation>
    </message>
    <message>
        <source>{schedule}, {n} replicas</source>
        <translation>{schedule}，{n} 个副本</translation>
    </message>
    <message>
        <source>{setting} failed: {why}</source>
        <translation>{setting} 失败：{why}</translation>
    </message>
    <message>
        <source>{setting}: {mean} in one run</source>
        <translation>{setting}：单次运行 {mean}</translation>
    </message>
    <message>
        <source>{setting}: {mean}, deviation {off}, {runs} runs</source>
        <translation>{setting}：{mean}，偏差 {off}，{runs} 次运行</translation>
    </message>
    <message>
        <source>{share} of the lanes are busy {at}</source>
        <translation>{at}，{share} 的通道忙碌</translation>
    </message>
    <message>
        <source>{shortest} to {longest}</source>
        <translation>{shortest} 至 {longest}</translation>
    </message>
    <message>
        <source>{shown} of {all} names are listed, those with the most time.</source>
        <translation>列出 {all} 个名称中用时最多的 {shown} 个。</translation>
    </message>
    <message>
        <source>{shown} of {all} outliers are listed, those that lost the most time.</source>
        <translation>列出 {all} 个离群值中损失时间最多的 {shown} 个。</translation>
    </message>
    <message>
        <source>{shown} of {count} joins</source>
        <translation>{shown} / {count} 个连接</translation>
    </message>
    <message>
        <source>{shown} of {n} lanes</source>
        <translation>{shown} / {n} 个通道</translation>
    </message>
    <message>
        <source>{shown} of {n} lanes are shown.</source>
        <translation>显示 {n} 个通道中的 {shown} 个。</translation>
    </message>
    <message>
        <source>{size} ({what})</source>
        <translation>{size}（{what}）</translation>
    </message>
    <message>
        <source>{spans}, cancelled</source>
        <translation>{spans}，已取消</translation>
    </message>
    <message>
        <source>{stage}: {lane}, {share}</source>
        <translation>{stage}：{lane}，{share}</translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation>{start} 至 {end}</translation>
    </message>
    <message>
        <source>{start} to {end} ({length})</source>
        <translation>{start} 至 {end}（{length}）</translation>
    </message>
    <message>
        <source>{start} to {end} of {name}</source>
        <translation>{name} 的 {start} 至 {end}</translation>
    </message>
    <message>
        <source>{start}, for {length}</source>
        <translation>{start}，持续 {length}</translation>
    </message>
    <message>
        <source>{step}
Click to see it.</source>
        <translation>{step}
点击查看。</translation>
    </message>
    <message>
        <source>{step} (select a bar to see its own step)</source>
        <translation>{step}（选择一个条形以查看其所在的步）</translation>
    </message>
    <message>
        <source>{step} an iteration, {between} of them between steps.</source>
        <translation>每次迭代 {step}，其中步骤之间 {between}。</translation>
    </message>
    <message>
        <source>{step}, the median of {count} steps</source>
        <translation>{step}，{count} 步的中位数</translation>
    </message>
    <message>
        <source>{strategy}: {way}</source>
        <translation>{strategy}：{way}</translation>
    </message>
    <message>
        <source>{task} on {lane}</source>
        <translation>{lane} 上的 {task}</translation>
    </message>
    <message>
        <source>{task} on {lane}; began {time} after it</source>
        <translation>{lane} 上的 {task}；在其后 {time} 开始</translation>
    </message>
    <message>
        <source>{time} after the start</source>
        <translation>开始后 {time}</translation>
    </message>
    <message>
        <source>{time} before it began</source>
        <translation>在其开始前 {time}</translation>
    </message>
    <message>
        <source>{time} exposed</source>
        <translation>{time} 暴露</translation>
    </message>
    <message>
        <source>{time} into {step}</source>
        <translation>{step} 开始后 {time}</translation>
    </message>
    <message>
        <source>{time} less on {topic}</source>
        <translation>{topic}少 {time}</translation>
    </message>
    <message>
        <source>{time} more on {topic}</source>
        <translation>{topic}多 {time}</translation>
    </message>
    <message>
        <source>{time} of the run</source>
        <translation>运行的 {time} 处</translation>
    </message>
    <message>
        <source>{title}, running</source>
        <translation>{title}，运行中</translation>
    </message>
    <message>
        <source>{title}: {words}</source>
        <translation>{title}：{words}</translation>
    </message>
    <message>
        <source>{total} in one piece</source>
        <translation>{total}，整体一份</translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches of {size}{over}</source>
        <translation>{total}，分为 {n} 个微批次，每个 {size}{over}</translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches: {sizes}{over}</source>
        <translation>{total}，分为 {n} 个微批次：{sizes}{over}</translation>
    </message>
    <message>
        <source>{unit} since {moment}</source>
        <translation>{unit}，起点：{moment}</translation>
    </message>
    <message>
        <source>{way}, {n} micro-batches: {step} predicted</source>
        <translation>{way}，{n} 个微批次：预测 {step}</translation>
    </message>
    <message>
        <source>{way}: {step} predicted</source>
        <translation>{way}：预测 {step}</translation>
    </message>
    <message>
        <source>{what}: {first} ({moved}) against {others}</source>
        <translation>{what}：{first}（{moved}）对比 {others}</translation>
    </message>
    <message>
        <source>{who} spends {share} of a step on work for all, the longest part ({part}) to {work}.</source>
        <translation>{who} 将一步的 {share} 用于为所有副本做的工作，其中最长的部分（{part}）用于{work}。</translation>
    </message>
    <message>
        <source>{wide} × {high} mm, as PNG {across} × {down} pixels</source>
        <translation>{wide} × {high} mm，PNG 为 {across} × {down} 像素</translation>
    </message>
    <message>
        <source>{words}.</source>
        <translation>{words}。</translation>
    </message>
    <message>
        <source>± {time}</source>
        <translation>± {time}</translation>
    </message>
    <message>
        <source>± {time} at the beginning</source>
        <translation>开始时 ± {time}</translation>
    </message>
    <message>
        <source>≈ 99.9 ms</source>
        <translation>≈ 99.9 ms</translation>
    </message>
    <message>
        <source>▶  Run</source>
        <translation>▶  运行</translation>
    </message>
    <message>
        <source>▶  Run it again</source>
        <translation>▶  再次运行</translation>
    </message>
    <message>
        <source>▶  Run {what}</source>
        <translation>▶  运行 {what}</translation>
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
