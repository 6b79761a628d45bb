<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ko" sourcelanguage="en">
<context>
    <name>Bubblescope</name>
    <message>
        <source> (and {n} more: see the Log)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (measured {time}, {change})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> GB/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> over {n} replicas: {sizes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> pt</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> µs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 core a lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 forward : 1 backward-input : 1 backward-weight; no time for transfers. Run once to use measured costs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 measured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 row</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 run of this sitting is in no file yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 span is cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 step recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 task still runs and is not counted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1F1B with several stages on each lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1F1B with the weight gradients computed later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1f1b</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>25 MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>3, 2-4 or 10ms:40ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>5, or an epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>99 % of the whole spans are no longer than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>99.9 MB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A and B take equally long, {a} and {b}: {reasons}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A collective that every rank has reached moves data.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A comparison of two runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A copy between lanes brings what the lane needs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A copy or communication lane has nothing to carry: no loss in itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A kind of task that takes longer by a factor everywhere, such as backward:1.2; repeatable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A lane that computes longer by a factor, such as 2:1.5; repeatable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A lane&apos;s first pass in one measured step (the first is 1) takes so much longer, such as lane=2,step=4,ms=50; repeatable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A line above the picture.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A pipeline in each replica, gradients all-reduced.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A process for each lane, overlapped all-reduce.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A process for each lane, which holds a part of every parameter.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A replica with more rows computes; on a lane without work, any lane computes. All of the wait counts, also what equal rows would not have spared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is under way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A run is under way; the sweep can begin when it is over.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A small GPT over bytes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A word alone is looked for in labels (F3, 2F1), kinds and names.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>A, {steps}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>About {time} left.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Activations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Adds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advanced</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Advisor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>After the lane&apos;s last pass, other stages still compute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Align</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Align here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All computing, divided evenly over the lanes: the best that they can do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All figures are of the last {n} of {all} measured steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All forwards, then all backwards.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All kinds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All levels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All the rest: tasks that began late because of launch, Python or the system.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-gather</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>All-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Another device hands out, gathers, reduces or updates for all replicas.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Any lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Arrows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As shown in the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the figure has it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>As the system</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Attention heads; they must divide the width.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B is {by} ({share}) longer: {reasons}{settings}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B is {by} ({share}) shorter: {reasons}{settings}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B − A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>B, {steps}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>BUBBLE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Back to the last view</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward-input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Backward-weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Batch split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Because</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Before the lane&apos;s first pass, an earlier stage computes what that pass needs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Beside</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Between the lane&apos;s passes, another lane computes what the next one needs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bring {panel} to the front; again: hide it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble by lane span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble by makespan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble by the formula</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble by the longest lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble {bubble} with equal passes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bubble {n} of {count} by length: {length} on {lane}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bucket</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Busy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>By what share every task&apos;s time varies at random, by the seed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Bytes of text in every row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>COMPUTE LANES: WORK, AND IDLE FOR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>COPY AND COMMUNICATION LANES</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CPU cores that each lane computes with.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CRITICAL PATH</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CRITICAL PATH · first {most} of {n} pieces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CRITICAL PATH · {n} pieces</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CSV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cancelled. {costs}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Caption</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Causes of {explained} of {steps} steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Change between light and dark colours.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chart of the steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chimera</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a link speed first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose a strategy on the left and press Run (F5).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose how much slower it is first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the colour of {family}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the colours of forward, backward and the others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the lane above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the lane below; what follows acts on it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Choose the lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chosen for the figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Chunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clear the selection; with nothing selected, leave the comparison.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click a bar or an idle gap to see what it is and what it waited for. Drag to count a range; Shift+click measures from the selected bar to another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click for the longest of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click on a flag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click on a group&apos;s heading</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click on a lane&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Click to see why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Clock known to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close Bubblescope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the run that is shown; it goes on, and stays in the Runs panel.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close the search (Esc)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this message.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close this tab; the run stays in the Runs panel. (Ctrl+W)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close without saving</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Close {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Closed form</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collectives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collectives beside the gradients that they wait for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Collectives that every rank has reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour bars by how long they took.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour bars by their micro-batch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour bars by their stage.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour bars by what they do: forward, backward, communication…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colour of {family}, as #rrggbb</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours and patterns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours only, as in the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Colours…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Command</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Commands</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare DP with DDP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare every loss and gradient with the plain whole-batch step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare with…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Compare {run} with:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparing two large steps…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied as an image and as SVG.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied the statistics as CSV.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copied the statistics as Markdown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy and communication lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy as plain numbers for a spreadsheet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy exactly what is visible, as an image and as SVG.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy statistics as CSV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy statistics as Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as plain numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the figures of the selected range as tables.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy the tables as text.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Copy visible range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Cores per lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs (*.json *.toml)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs (*.json)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Costs {source}; {steps}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Count</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Count time from the run&apos;s start.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Count time from the start of the step on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counting was cancelled. Select a range to count it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Counting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Critical path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ctrl + wheel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DDP on 8 virtual ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Dark colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Data parallel on 8 virtual lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Delete the mark that one is at.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Deleted a mark; Ctrl+Z brings it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Depth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Details of the selection</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices of a node</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices of a node, where their names do not tell the host:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Devices of a node…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Differences between run A and run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Distributed data parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not measure what tasks cost before the first measured step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Do not open this recording; nothing is left behind.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double-click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Double-click or press Enter to run this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag from the axis</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag of a lane&apos;s name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range first.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Drag over the lanes to select a range: busy, communication and idle time of the lanes that you drag over stand here, and the durations of their spans. Drag along the axis for all lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw an arrow for each dependency between lanes on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Draw both compared steps equally long; again: in true time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>DualPipeV</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Duration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Durations of whole spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Durations: &gt;5ms &lt;=10us. Either of two: stage:0|2. Not: -kind:copy.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>EACH COMPUTE LANE</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each task is then measured alone, so nothing is shared: the strategy itself.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Each value that you try becomes a point here, as soon as it has been run. Click a point to open its run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Earlier</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Edit note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End the engine and close the window.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End to end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>End to start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>English</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Equal</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Equal lengths</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Esc in the field above the names shows all lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every lane gets a row: what it computes, what it moves, and why it waits.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Every lane has a slice of each layer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Everything was ready, but the work was late: launch, Python, contention.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exactly the time on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explain it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Explaining…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export comparison</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export comparison…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export figure…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export report</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export spans as CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Export visible range…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Exported {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>FROM IDEAL TO MEASURED · ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time} in one run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {count} others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fastest: {setting}, {time}; no certain difference from {others}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faults</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Faults are put into virtual lanes alone, such as 8xvirtual.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Features in every layer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>File</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Files stay as they are.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter lanes by name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Filter lanes…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find a command…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find anything that can be done by a few letters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find spans by kind, micro-batch, stage, lane, step, name or duration.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Find the longest bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>First page</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit a span or an idle gap.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fit the selection; again, or without one, everything, the lanes&apos; height too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold all groups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold or open the group</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the chosen lane&apos;s group into one row, or open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fold the group, or open it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Follow</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>For</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward and backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Forward {forward} and backward {backward}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From a file…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From the ideal step to this one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From, to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Fully sharded data parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GB each second between two devices, in place of the costs&apos;.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPT</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>GPipe</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gather</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go back to the bubble that was longer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the mark before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the next mark.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the present and stay with it, at this zoom.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Go to the view that you came back from.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradient error, largest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Gradients are all-reduced bucket by bucket while the backward pass still runs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Greyscale</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group by the next one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group lanes by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Group the lanes by the next of these.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>HTML report (*.html)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Half of the whole spans are no longer than this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hardware and versions</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Held up by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Hiccup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Higher lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Histogram of durations</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How each lane spends its time and memory appears here with the first step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How far the optimizer goes in every step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How fast the clock of virtual lanes runs at most, beside a real one: 0.1 to watch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How long each step is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How long every step takes appears here with the first whole step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many micro-batches, where the strategy makes some.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How many times as long the slow lane computes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How much of the steps each lane is idle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How often each value is run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>How the work is divided among the lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>IDLE BY CAUSE · share of all lanes&apos; time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle part of the longest lane&apos;s own span.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time as a share of the range.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time by cause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time in steps whose causes were not worked out.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time of all lanes over lanes times makespan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time of each lane by cause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time of the compute lanes over lanes times makespan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Idle time of the lane that works longest, within its first start and last end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Image size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In per cent of A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In short</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In step {step} lane {lane} took {taken} for {task} instead of {usual}: that cost {loss} ({share}) of this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>In which order every stage works through the micro-batches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interleaved 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interleaved 1F1B with the weight gradients computed later.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Interleaved zero bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Into how many consecutive parts the model is cut.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut, as even as can be.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Into how many pieces the batch is cut.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It began {time} earlier than predicted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It began {time} later than predicted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It belongs to no step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It has nothing more to do in this step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Jitter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join all matched tasks on screen by thin lines.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Join tasks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KIND:FACTOR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the chosen lane at the top, or put it back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keep the last step as .npz: input, target, before/NAME, gradient/NAME.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Keys and mouse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kind in the histogram</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kinds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Kinds of spans in the range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LANE-LANE:FACTOR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>LANE:FACTOR</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ladder from the ideal step to the measured one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane 0 also scatters, gathers and reduces; the others wait for it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane {lane} computes for {most}, a lane on average for {mean}: that costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane {lane} computes {factor} times as long as other lanes for the same: that costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lane {lane} spends {share} of a step on work for all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lanes idle {idle}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lanes idle {idle}: mostly {reason} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lanes in the range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Language</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Largest first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Latency</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lay the spans that are selected in both runs over each other; again: the steps&apos; starts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Layers of the model, each a block that a stage can take.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Learning rate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Legend</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Length</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let all lanes stand without headings.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the lanes of a device stand together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the lanes of a host stand together, or of so many devices.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Let the lanes that hold a replica stand together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Light</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Linear layers of one width.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Link speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Load…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Longest bubble: {length} on {lane}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looking for what limits a step…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Looped BFS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Loss, first and last</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Lower lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MLP</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make a figure for a slide or a paper: see it, save it, copy it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the lanes higher or lower.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the lanes higher.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Make the lanes lower.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Makespan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark moment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark the moment under the pointer, or the start of what is selected, and name it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mark what is selected from start to end, and name it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Markdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Marks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Marks of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Means of a step, over {n} measured steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure from here</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure from the selected span to another.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measure from the selected span to those selected next; again: no longer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Measured: {part}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Message</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB of a bucket</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>MiB of gradients that are reduced together.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Micro-batches walk down the stages and back; lanes wait while the pipeline fills and drains.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Microseconds that every transfer takes at least.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Middle drag, Shift + drag</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Model parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Mouse</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move back between form, timeline and panels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move between form, timeline and panels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the chosen lane down within its group.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the chosen lane up within its group.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the lane down</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the lane up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move the lane within its group.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to a later time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Move to an earlier time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Moving data costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Named in the field below.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next hit (Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next part of the window</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next span in run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Next tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No colour at all; patterns and letters tell families apart.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run what the form says: {what}. (F5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run with several values of an option, and see which is the fastest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SVG drawing (*.svg)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same task in the next step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Same task in the step before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sample: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Samples</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save all…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the span that the selected one, or most of the selected bubble, waited for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} tasks a step on {lanes} lanes (expected)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one}, but {other}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{option} {value}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{other} excludes this: set it back to 0 to use this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{part} ({count} set)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{result}
Click to open its run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lane is called “{name}”.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (a | stands between values of one key: mb:2|5)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> (this is replica {a})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source> cannot be imported</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--batch {a} of {b} needs at least {c} GB, but this machine has {d} GB: use fewer rows or a smaller model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--chunks {a} is not for {b}, which says itself how many stages a lane holds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--costs {a} cannot be read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--costs {a}: use a name that ends in {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--data {a} is over {b} batches of {c} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--depth {a}: the gpt takes 2 or more (at least 4 blocks in all)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--devices {a} mixes kinds of devices; use one kind in a run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--devices {a}: explaining {b} lanes takes about {c} GB, more than an eighth of this machine&apos;s {d} GB; use at most {e} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--devices {a}: virtual lanes run alone, on one device; use 8xvirtual:cpu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--devices {a}: {b} is no device; use {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--devices {a}: {b} lanes; use 1 to {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--heads {a} do not divide --width {b}; use a divisor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--image-size {a}: resnet50 takes 32 or more pixels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--link {a}: use a bandwidth above 0 GB/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--link {a}: use {b} or {c}, each number below 10^9</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a} has no {b}(): it needs build() and batch()</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: batch({b}) must give input and target, tensors of {c} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: block {b} gave no tensor</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: build() gave {b}; it must give an nn.Sequential or a list of blocks, one at least</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: loss is no function; use loss(output, target)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: loss() gave {b}; it must give a tensor of one number, the mean over rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--model {a}: there is no such file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--slow-kind {a}: use {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--slow-link {a}-{b}: name two different lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--split-size {a} makes {b} micro-batches of {c} rows; use a size that makes at most {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--stages {a}: {b} is for {c} stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>--{a} {b}: use a name that ends in {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 core a lane instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 lane instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 micro-batch instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 replica instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 row instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>1 stage instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>; it may have run out of memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>CUDA_LAUNCH_BLOCKING is set: kernels run one by one and nothing overlaps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>From a file: {a} ranks, {b} stages, {c} micro-batches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is off by more than a quarter: lanes share cores, which slow each other down.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is off by more than a quarter: the tasks took other times than their costs say.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>It is off by more than a quarter: these tasks are so short that starting them counts.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>KIND:FACTOR, such as backward:1.2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lane on screen is idle in the measured steps on screen.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No lane, link or step is slower than its peers; balance, order and communication cost less than a twentieth each.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run is shown: there are no settings to use.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No run yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>No waiting inside a lane, for twice the memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Node</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not explained</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not explained: the step has {n} tasks, and at most {most} are explained here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Not measured yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note of the mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Note…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing is called that.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Nothing recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Numbers are micro-batches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Of the run that is shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>On how many devices the stages are, whatever this machine has.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One column, 85 mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One forward, one backward in turn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One gathers all on lane 0, the other reduces while it computes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>One row for each lane; the Details panel tells the selection.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only virtual lanes have a clock of their own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Only {level}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open a recording from a file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open all groups</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recent</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open recording…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open runs and recordings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Open {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opened {names}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opening {name}: {share} %</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Opens the pipeline and selects its longest idle gap; Details says why it is there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Optimizer step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or choose a link speed above.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or open a recording (Ctrl+O).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Or press F5 to run what the form on the left says, drop recordings here, or press Ctrl+Shift+P for everything else.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Other kinds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outcome</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Outline the tasks that make each step on screen as long as it is.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Overview of the whole run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PDF document (*.pdf)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>PNG image (*.png)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Panels that share this place</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Part before</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pick a piece to show its task in the timeline.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Picture…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pin the lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 2 CPU lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipeline, 1F1B, on 4 virtual lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipelines side by side</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pipelines that run side by side.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Pixels of a PNG</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Plain: 1 ms a pass</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a mark, or go to one, to delete it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Point at a moment of a run, or select something, to mark it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predict every way again, from the run that is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted time of a step; ≈ where micro-batches have a size that was not measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted: {part}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicted: {task}, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Predicting {devices} devices, {microbatches} micro-batches…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Prediction of this run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preparing the run…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Press M to mark the moment under the pointer, or the start of what is selected; Shift+M marks what is selected from start to end. Marks are kept beside the recording.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Preview</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous hit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous hit (Shift+Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous mark</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous span in run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Previous tab</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of counting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of opening the recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Progress of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown, and see what takes longer, and why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put another run, a recording or the prediction below the run that is shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put faults into the virtual lanes, to see what they do.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put it on the clipboard, as an image and as SVG.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put the settings of the run that is shown into the form; Run then starts them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put these settings into the form and run them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Put this into the settings; Run then starts it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Quit</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>RECENT FILES</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Read costs from a JSON or TOML file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reasons of the gap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Record when each block of the model is passed; that costs a little.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Recordings (*.arrow)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduce-scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reduced: up to {spans} spans in one mark.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove missing files</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Remove {name} from the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rename…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Repeat</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Replicate the model, split the batch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ResNet-50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ResNet-50 on square images.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Reset to the built-in colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Results of the sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of an epoch; the last batch of it may be smaller.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of each micro-batch; the last one may have fewer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of the whole batch, over all lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Rows of the whole batch; without a number it grows with the micro-batches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run GPipe, then 1F1B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run every value, in random order, with the other settings of the form.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run once: the costs come from its calibration.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run starts it afresh.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run these too, with the same settings, for reference.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run this</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run what the form says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run {letter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Run {name} has no whole step to compare yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Running {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs a training step in parallel on this machine&apos;s devices and shows what every device does, when it waits, and why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs of this sitting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Runs to compare with</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>SAMPLE RECORDINGS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save as CSV…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save figure</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save picture</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save recording…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save table</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the run that is shown as a recording.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save the runs in a folder</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved {count} spans as {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saved {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Save…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Saving {name}…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Say how many devices a node has, where their names do not tell.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Schedule: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Scroll the lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search no further</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Search…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a range of time over all lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a range of time over the lanes that it touches, and count it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a range, a span or an idle gap to mark it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a span in each run first, then align here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select a span or an idle gap.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select and fit the longest idle gap on screen; again, the next longest.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select nothing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the next span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the next span on the lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the next span that was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the previous span on run B&apos;s lane; run A&apos;s selection stays.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the previous span on the lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the same task in the next step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the same task in the step before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the span before that was found.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the span that waited for the selected one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select the time that is visible over all lanes, and count it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Select visible range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of both</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Settings that are seldom changed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Several stages on each lane, all micro-batches through each in turn.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shares of the critical path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift + click</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shift + wheel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Shortest and longest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every group as one row.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every key and what the mouse does.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show every lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show it without sharing, on {lanes} virtual lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show large</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show less time in more detail.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show more time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only spans that are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show only the lanes whose names contain some text; * stands for anything.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show samples, things to try and recent files.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the blocks inside forwards and backwards, where they were recorded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the lanes whose names contain this; * stands for anything. Esc shows all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the mark in the timeline. (Return)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the next open run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the open run before.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the predicted step in the timeline, as a run of the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the prediction below each lane, where there is one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the run alone again.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the time of day of the run, where its recording tells it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the window in English.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the window in Korean.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show the window in Simplified Chinese.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show what each lane holds in memory, below it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show why, from the ideal step to the measured one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show {blocking} in the timeline.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Show {run}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since the run&apos;s start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Since the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Single lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slide, 16:9</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slow kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slow lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slow link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Slower by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Some ways are left out: {missing}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sort by a column; a click on its head does so too.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Spans of the step are missing: its path is not known.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Spans of which some part lies in the range.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split (tutorial)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Split size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages in turn, one works at a time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages of each device, for schedules that give it several.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages of each lane, for schedules that give it several.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages overlap on micro-batches.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages there and back over the lanes, no waiting inside a lane.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stages there and back, each forward overlapped with a backward.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Start to start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>State</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Statistics of the range</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step of run {letter}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step {step}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Step, median of {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps before the measured ones; the first steps are slow.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps or times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps or times…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Steps that are measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop counting the range.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop predicting.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stop the run; what was recorded is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Stopped; what was recorded is kept.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strategy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Strategy: {name}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Sweep…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>THREE THINGS TO TRY</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table (*.csv *.parquet)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table of spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Table…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take off the list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the last zoom, pan, fit or change of the lanes back.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take the mark away; Ctrl+Z brings it back. (Del)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Take this file off the list.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks of the predicted step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks take {task}; the host, which starts them, takes longer: that costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks that compute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks that move data between two lanes, or to or from one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tasks that overlap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tensor parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Text</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The bubble by the literature&apos;s formula, where there is one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The duration of the longest span.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine cannot be started: {reason}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The engine refused the run without saying why.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The first whole step is on its way.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The forward pass by pieces, one loss and one backward over all.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The gradients of block {n} were there.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lane is in a collective that its slowest rank has not reached.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lane that computes longer than the others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lanes are idle for {share} of the step, most of it ({part}) for: {cause}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lanes are never idle.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The lanes are starting; bars come with their first tasks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The main reason of the difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The mean duration of whole spans.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The median step, or the last steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The model that is trained: a built-in one, or a Python file of your own.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that a lane holds at a time, each of one stage and micro-batch.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The most that a lane holds: an estimate from the model and the plan.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next task had all that it needed, but came late.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The next task was launched, but its lane had not begun it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The number format of parameters and activations.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The order in which tasks need each other costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The order of the step&apos;s passes, as if all took the same time.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The predicted step appears here.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The range is still being counted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The run failed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The same schedule on two cores at once: real copies, a real host between the tasks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The schedule (×2 is with two chunks a lane), or the strategy that has none.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The schedule says itself how many stages a lane holds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step against that of the present settings, which is predicted alike.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step is not over: nothing is told yet of what the lane does next.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The step lacks spans: what looks idle may be work that was not told.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The sum of their parts in the range.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The time axis.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The time is outside of every step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tutorials&apos; 10-10-5 in two blocks.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The tutorials&apos; Linear(5, 2).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole batch on one lane, for reference.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole run; click or drag to move the view.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>The whole step, from its first start to its last end.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Theme</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Then</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Then {task} begins.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There are no marks: M sets one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no comparison to write yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no file {name}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no formula without a pipeline&apos;s schedule.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no other run yet: open a recording, or run something else.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no prediction: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no run to compare yet: press Run, or open a recording.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no run to draw.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no run to search: press Run, or open a recording.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is no run to write yet: press Run, or open a recording.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough memory for this.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>There is not enough memory.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This cannot run here. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This could not be done: {name}: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This recording does not tell its settings: another program made it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run cannot be saved: there is no room for it on the disk. {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run has no whole step to take costs from. Run once: the costs come from its calibration.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run has recorded no spans.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This run has recorded no spans: there is nothing to export.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step has {n} tasks: explaining it takes some seconds.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This step has {n} tasks: it is explained when the run has ended.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This trace says nothing of training steps.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>This version has no strategy {name}: its settings cannot be used.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time in which the lane communicates and does not compute.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time in which the lane computes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time in which the lane does neither.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Time of day</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline of run B</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timeline of {run}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Timelines</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Title</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Told apart also without colour.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tools</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ToyModel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Traces in Chrome&apos;s format (*.json *.json.gz)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Transfers between lanes {low} and {high} take {factor} times as long as others of the same size: that costs {loss} ({share}).</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Try width {width}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Tutorial</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two columns, 178 mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two lanes between which transfers take longer by a factor, such as 1-2:4; repeatable.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two replicas of the model, one down and one up the lanes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Two short pipelines on 4 lanes, then one above the other on one axis.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Type a few letters of what you want to do</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use the language of the system, if the window speaks it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use this run&apos;s settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use virtual lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Use {count} virtual lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Values with commas between them, or semicolons where a value has commas; default stands for what is done without the option.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Vary</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verdict</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>View</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waited for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Waited for {what}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Warnings and errors</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Way</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ways predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Ways to run the model, by predicted step time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page (*.html)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Web page, 190 mm</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What contributes to the difference</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What else is put in: those of the run, or others.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What if</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is asked</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is visible</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What is wrong with the colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it adds to B&apos;s step: its mean over B&apos;s lanes less that over A&apos;s.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What it waited for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What lies between virtual lanes: latency in us and GB/s, a link&apos;s name, or measured.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What moving data adds, where no computing hides it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the colours and patterns mean.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the lane with the most computing has above an even share.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the order of the tasks adds, though nothing moves and nobody is late.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the step takes.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the tasks take: as in the run that is shown, or as a file says.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What the tasks took longer than they were measured to cost before the run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to call this run, in this sitting:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to remember of this run, in this sitting:</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What to run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What updates the parameters.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What waited for it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What was recorded is kept; press Run to start afresh.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What would help</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>What {schedule}&apos;s formula gives, by makespan, for this step&apos;s mean costs.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wheel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Wheel over the lanes&apos; names</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Where the random parameters and data begin.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which devices work, such as 2xcpu, cuda:0,cuda:1, 2xcuda:0 or 8xvirtual.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which lines of the log are shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which rows go to which lane appears here with the first step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which step is explained.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Which step of run {letter} is compared.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole max</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole p50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whole p99</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Whose durations the histogram shows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why a step takes as long as it does appears here with the first whole step: from the ideal step, rung by rung, to the measured one.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why the lane is idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Why, as charts and lists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Width and height of every image in pixels.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Words below the picture.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Work out the ladder and the idle time of this run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a mark&apos;s note.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a page of HTML with pictures and tables of the run.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write a row for each run as CSV.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write all spans, or those that the table shows, a line each.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write another note. (F2)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write exactly the time that is visible as PNG, SVG or PDF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write it as PNG, SVG or PDF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the chart as PNG, SVG or PDF.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write the costs that are chosen to a JSON file.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Write what is seen of both runs as PNG, SVG or PDF, or a report as HTML.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Writing the report…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-H1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-H2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ZB-V</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom at the pointer.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom in to see each of them.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>Zoom out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a CSV schedule cannot say {a}, a pass over all micro-batches at once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a block: 2, 0-5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a bucket: 1, 0|2</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a clock&apos;s uncertainty is no finite number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a lane&apos;s counter is out of bounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a lane&apos;s number or name: 2, 0-3, cpu*</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a lane&apos;s steps go back in time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a mark ends at {a} ns, before it starts at {b} ns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a micro-batch: 3, 2-5, 4-</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a quote is open; end the words that it begins with another &quot;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica&apos;s share of {a} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a replica: 0, 1-</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a row has not one note</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a run is under way: stop it first</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a span ends before it starts</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a span has no step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a span is of a plan that was not told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a span is of a task that its plan does not have</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a stage: 1, 0-3</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a step takes {a} s: its costs are not measured beforehand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a step: 5, 10-20</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a task has no {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a task of the plan: 17</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a task&apos;s {a} is out of bounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>a time is out of bounds</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>activations held</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>adds to the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>alignment</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-gather</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>all; or 0-3, cpu:1</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>and {n} more ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as it goes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>as the costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>at {time}, over {length}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>auto</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward-input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>backward-weight</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch normalisation depends on how the batch is split: every step is compared with the same split, run in order on one lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch normalisation needs more than one value per channel on every lane that has rows: use a larger --batch or fewer lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>batch {rows}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because of</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>because the host is late</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>began at {time}, did not end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>between steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>between steps, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>block {a} begins with no linear layer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>block {a} is no transformer block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>block {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks are not recorded: torch runs the ranks by itself</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>blocks {a} and {b} share a parameter ({c}.{d}), and each block is sharded by itself; put both into one block, or use ddp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>both {a} and {b}: one is too many</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bubble</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bucket</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bucket mb</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bucket {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>buckets of 1 MiB instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>buckets of {b} MiB instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>busy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>busy {busy} · comm {communication} · idle {idle}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by is {a}; use &apos;stage&apos; or &apos;block&apos;</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by makespan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>by the longest lane&apos;s span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>calibrate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cause</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chimera needs an even number of ranks, not {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chimera needs at least 2 micro-batches, one a replica, not {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>chunks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>closed form</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>collective</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>colours</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>communication measured too</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compare gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compared: mean of {n} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>copy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cores a lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>cores per lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>costs are a table of numbers, not {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>costs, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>critical path</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>default</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>depth</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>depth 1 instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>depth {b} instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deuteranopia</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>deviation from run to run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>device</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>devices</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>did not answer any more, and was ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>did not end</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dtype</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>dualpipe-v on {a} ranks needs at least {b} micro-batches, not {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>duration</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>end to start {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ended with status {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine is loading…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>engine ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>error</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exact</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exposed collective</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exposed comm.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exposed communication</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>exposed-collective</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>failed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>fastest</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>faults put in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>finished</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>float32</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>for what is not known yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward with backward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward, backward-*, communication, compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>forward_ms, backward_input_ms, backward_weight_ms, step_ms, and transfer_ms or link_latency_us with link_bandwidth_gb_s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>full colour vision</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather or reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gather-or-reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradient</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients differ by at most {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>gradients ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grey</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>grows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>has no dimension to divide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>heads</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hiccup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>hidden</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ideal: single ÷ lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle most for</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>idle: {cause}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>image size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>imbalance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete: 1 fault, see the Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>incomplete: {n} faults, see the Log</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>info</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>input</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>is not contiguous</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it changes while it is read</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it could not be made</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has not format {a}; {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has text that is not UTF-8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it has {a} replicas on {b} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is neither run, describe nor stop</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it is nested too deeply</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>it makes no costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its lanes spend on average {parts}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its spans are of several plans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>its threads and their nested calls are more than {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>jitter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane by lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane {a} has number {b} and serves {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane {lane}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane {lane}: idle at {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane {lane}: {task}, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lane=LANE,step=STEP,ms=MS, such as lane=2,step=4,ms=50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>last {shown} of {count} measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>launched {time} after it was ready</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>left edge</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>level</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>list</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lists by stage need as many entries as each other: {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss (right axis)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss and update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>loss {loss}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>lr</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>made from the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>makespan</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>makespan in ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>makespan {lengths}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>max / mean</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of all steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of the last {n} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of the measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of {n} measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mean of {n} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured one task at a time, before the measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measured with all lanes busy, before the measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measuring costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>measuring costs, {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>median step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>median: {step}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>medians of {n} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batch {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>micro-batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>microbatch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>microbatches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>mlp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>model</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>most in this run: {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moved for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>moving data themselves</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ms of lane time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>n</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>name</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>never idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no engine</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no gradient for {a}: ddp waits for that of every trained parameter; use them in the forward pass, or freeze them with requires_grad_(False)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no gradient for {a}: ranks wait for that of every trained parameter; use it in the forward pass, or freeze it with requires_grad_(False)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no pipeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no run yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>no such settings</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nobody</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>node {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>none</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not known yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not used</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>not what a plain step computes: gradients differ by {gradient}, losses by {loss}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing more in this step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>nothing to move</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of 0 or more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>of the idle time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one per lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>one-column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only complete events are read; left out are {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only in A: {tasks}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>only in B: {tasks}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>opening the recording was cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>optimizer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other lane computes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>other-compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>output</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>overlap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p50</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>p99</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parallel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameter gradients</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameter {a}.{b} {c}, which fully_shard refuses; make it contiguous and of shape [1] at least, or use ddp</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>parameters again</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>part of a name, or all of it: gemm, gemm*</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>patterns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>peak {size}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>perfect division</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline drains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline fill and drain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline fills</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline-drain</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipeline-fill</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>pipelines {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan {a} has a task that waits for one that is not before it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan {a} has no tasks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>plan {a} is not the next one that could be told</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted {predicted}, measured {measured}, {error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>predicted, not measured</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>present</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>protanopia</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ranks cannot meet on {a}: torch has no process group for that; use CPU lanes, such as 2xcpu, or another strategy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ranks {a} and {b} ran different collectives in step {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>ratio</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>record blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reduce-scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>reduced: about {count} spans a pixel</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>refused</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replica</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replica {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>replicate</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>rows of a batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>run {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>running since {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>saving, {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>scatter</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>schedules</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>searching, {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>seed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sent what cannot be read: {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sequence</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>setting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sgd</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>share</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>shared evenly</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sizes is {a}; use a list of tables</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slide</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slider</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slow kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slow lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slow link</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slowdown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slowest rank</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>slowest-rank</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>some of its tasks overlap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>something else has the name of its index</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>sorting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spans missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>spans of a lane overlap</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>speed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>split size</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>split-imbalance</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stage {n}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stages {a} and {b} of {c} share a parameter ({d}); use fewer stages, or a strategy that keeps it whole</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>start</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>start to start {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting {n} ranks…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>starting…</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>state</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step at hand</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step at hand: {step}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step {a}: task {b} never ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>step {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>stopped</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>strategy</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>taken from the last measured step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>taken from the last warm-up step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>task</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>task {a} ({b}) waits for task {c}, which comes later</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the collectives deadlock: task {a} never ends</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the costs have no {a}, which the plan needs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the costs miss rows: with sizes, each table needs its own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the costs miss {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the costs miss {a}, which goes with {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the costs say nothing of the time of a {a}; they need transfer_ms, or link_latency_us and link_bandwidth_gb_s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the engine cannot read a command: {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the engine process {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the file was cut: it is shown up to its last whole event</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the first run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the first {shown} of {count} spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model has dropout: its gradients are random and cannot be compared</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the model&apos;s own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the optimizer step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the picture is {time} behind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the prediction failed: {a}: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the process has ended</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the process that predicts has ended; ask again to start it afresh</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run has no lanes that compute; compare runs that have some</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the run was not kept: {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the same as of A</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the schedule deadlocks at {a}: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the schedule misses {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the schedule&apos;s own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the second run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the step</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>the tasks of a step would take {a} years together; use smaller costs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there are lanes 0 to {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there are no spans to join</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is lane 0 alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no cost {a}; use {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no lane {a}, only {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no memory beside the run&apos;s to measure its costs in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no schedule {a}; use {b} or a file that ends in .csv</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no strategy {a}; use {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no {a} {b}; use {c} or a file that ends in {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is no {a}: this machine has {b}; CPU lanes are 2xcpu</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is not enough memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>there is not enough memory for this prediction</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>they belong to another run, of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>time of day, ± 1 s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>timed by the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>times</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>times are</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>torch runs the ranks by itself: their blocks are not recorded.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tp splits a gpt, or an mlp of two layers or more; this {a} cannot be split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfer</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfer_ms (or {a})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfer_ms and {a} both say what a transfer takes; use one</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfers has {a}; use {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfers is {a}; use a table by kind</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>transfers.{a} is {b}; use a list of [bytes, ms]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>tritanopia</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>two-column</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>uneven split</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>up to 8</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>update</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use 0F0, 0B0, 0I0, 0W0 or (0F1;1B0)OVERLAP_F_B with numbers up to 32766</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use a file that Bubblescope wrote</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>use {a} or more, at most {b}{c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>usual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>verify</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>virtual clock: each task measured alone, {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waited {time} for ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for collectives to move data</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for copies</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for copies between lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for lanes with more rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for other lanes&apos; computing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for the device that works for all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for the host</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for {who} to compute</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for {who} to gather and reduce</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for {who} to reach a collective</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting for {who}, with more rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waiting in collectives</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>waits for ranks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up only</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up {number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warm-up {n} of {total}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warmup</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>warning</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>was ended after {a} s, inside a long operation</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>was ended by {a}{b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>web</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what is packed in it is damaged</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>what was said</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>where spans are missing</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>while the pipeline drains</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>while the pipeline fills</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole batches</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>whole run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>width</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>width 1 instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>width {b} instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>w{number}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>yes or no</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} against {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} cannot be read as a schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} cannot be read as a trace in Chrome&apos;s format</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} cannot be read: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} cannot be written: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} complete events without a time are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} goes on behind the recording&apos;s end: its last {b} bytes are not shown</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has a damaged header: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has format {b}; this version reads format {c}: record it anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has no complete event (ph X) that says when it ran</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has no index, so it is held in memory: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has no step {b}; it has {c} to {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has no timed events: spans are the host&apos;s times, of work alone</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has no whole step to compare; use one that has run some</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has {b} and {c} entries; use as many</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has {b} entries, but the model has {c} blocks</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has {b} entries, but the model is cut into {c} stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has {b} entries, but the plan has {c} stages; use one for each, or one number for all</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} has {b}; use [bytes, ms]</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} holds no action</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is a list; a loss is the last stage&apos;s alone: use a number</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is an Arrow stream, but no recording of Bubblescope</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is an empty list; use a number, or one for each stage</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is damaged: its columns are not those of a recording</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is for {b} micro-batches, not {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is given twice for the same rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is named for two outputs; use a file for each</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is no mark; {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is no recording: it does not begin as an Arrow stream does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is no recording: {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is not for {b}; it is for {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is of no stage: only plans of stages have a schedule</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} is {b}; use a number {c} to {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} lanes do not divide {b} {c}; use {d}{e} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} lanes share {b} cores</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} line {b} holds no action; each line is a rank&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} lists a block twice, and each is timed by itself in a rank; put both uses into one block</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} micro-batches on {b} ranks make no {c} equal rounds: use a multiple of {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} micro-batches through {b} stages are {c} passes: use fewer of them, so that there are at most {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B: it adds {adds} ms to B&apos;s step.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} ms in A, {b} ms in B; it costs only what compute lanes wait for.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} of replica {b}, but micro-batch {c} is replica {d}&apos;s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} of {b} tasks have no span ({c}{d})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} parts of the range are not counted yet</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} ranks on {b}; all steps begin together</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} replicas do not divide {b} lanes; use a number that does</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} rows do not divide by {b} ranks: shared unpadded as {c}; DistributedSampler would repeat {d} rows instead</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} runs {b}: a backward is over all micro-batches where there is one loss for all of them, and only there</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} runs: use at most {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} spans are of tasks that have one already</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} stages cannot be shared in lanes of {b} chunks: use a multiple of {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} stages need at least {b} blocks, but {c} has {d}: use at most {e} stages</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} was cut before its first batch: there is nothing to show</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} weights cannot make {b} runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b} and {c} {d} exclude each other; use one of them</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b} is for virtual lanes, and {c} is a real one; use --devices {d}xvirtual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b} is not for {c}, which takes {d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b} need at least {c} rows, but {d} has {e}: use at most {f} {g}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: it is shown up to its last whole batch, {c} spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: no task of this plan is there to be lengthened</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: that is a folder; name a file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: there is no folder {c}; use one that exists</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: use {c}, each number below 10^9</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: write &apos;{c}&apos; for {d} values, or &apos;{e}{f}&apos; for one with commas in it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: {c} cannot be written; use a folder that can</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}: {c} is there twice</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a} {b}:{c}: use a factor above 0</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}, but it holds {b}{c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}, but micro-batches are 0 to {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}, or an epoch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}, which needs the number of a micro-batch</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: a value is missing; {b} is its own</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: an event has more than {b} bytes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: faults are put into virtual lanes alone; use --devices {b}xvirtual</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: it has no list of events</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: it was made anew</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: its marks are left out</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: name each {b} once</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: no task has a span</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: nothing to look for; write a word, or a key such as kind:forward</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: stands between what one key may be, without spaces: kind:loss|step mb:2|5</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: the measured steps are 1 to {b}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: the schedule misses {b}F{c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: there is no key {b}; use one of {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: there is no kind {b}; use {c}{d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: there is no such file</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: write a duration as &gt;5ms, &lt;=10us, &gt;=1.5s or &lt;300ns</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: {b} is empty; write the smaller number first: {c}-{d}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: {b} is no action; {c}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{a}: {b} is no number; {c} takes {d}{e}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} cores a lane instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} lanes instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} micro-batches instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} replicas instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} rows instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{b} stages instead of {a}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{cores} cores a lane</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} hits</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} measured steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of {all} spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} of {lanes} lanes get no rows.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} runs of this sitting are in no file yet.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} so far, {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} spans in {time} on {lane}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{count} steps recorded</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{cut} by the range: their parts inside count in times, and they count whole in counts, means, percentiles, maxima and the histogram.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; Run sweep goes on.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{done} of {all} runs are done; now {now}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{duration} for others</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{duration} for {blocking} on {place}: {cause}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{duration}: {cause}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{family} is too faint: {ratio}:1 against the plot, at least 3:1 is needed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{first} to {last}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{first} to {last}: {spans}, {share}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{hits}, cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lanes} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lanes} lanes, {tasks} tasks: makespan {makespan}, bubble {bubble}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} computes {measured}, predicted {predicted}{error}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} holds {size}, of it activations {part}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} is chosen. {more}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} is idle</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} is idle for {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} is idle for {time}, {share} of the step: {cause}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} waits {duration}: {reasons}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} waits {reason}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} waits {time}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane} works</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane}: {work:.2f} × the mean work</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{lane}: {work:.2f} × the mean work, {memory:.2f} × the mean memory</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{latency} µs, {bandwidth} GB/s</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{least} to {most} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{length} from {start}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model}, batch {rows}, {lanes} lanes. Costs {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{model}, {rows} rows: {source}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{moment} since {start}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{names} and {n} more</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} (missing)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{name} is incomplete: {fault}{more}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number} of {count}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{number}: {title}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} earlier steps on screen were not searched.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} further lanes are not listed.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} measured steps of {least} to {most} ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {count} arrows; zoom in</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} of {count} files cannot be opened: {problems}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} spans</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} spans are cut</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tasks matched</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} tasks still run and are not counted.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{n} warm-up steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one} and {other}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{one} and {other} are hard to tell apart with {vision}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{rows} rows</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{schedule} has no formula for these numbers.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{schedule} says itself how many stages a device holds: {chunks}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{schedule}, {n} replicas</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{setting} failed: {why}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{setting}: {mean} in one run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{setting}: {mean}, deviation {off}, {runs} runs</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{share} of the lanes are busy {at}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shortest} to {longest}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {count} joins</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {n} lanes</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{shown} of {n} lanes are shown.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{size} ({what})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{spans}, cancelled</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{start} to {end}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{start} to {end} ({length})</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{start}, for {length}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step}
Click to see it.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step} (select a bar to see its own step)</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{step}, the median of {count} steps</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{strategy}: {way}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{task} on {lane}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{task} on {lane}; began {time} after it</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} before it began</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} exposed</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} less on {topic}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} more on {topic}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{time} of the run</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{title}, running</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} in one piece</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches of {each}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches of {size}{over}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches: {sizes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} in {n} micro-batches: {sizes}{over}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{total} on {n} replicas: {sizes}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{unit} since {moment}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{way}, {n} micro-batches: {step} predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{way}: {step} predicted</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{what}: {first} ({moved}) against {others}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{wide} × {high} mm, as PNG {across} × {down} pixels</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>{words}.</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>≈ 99.9 ms</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>▶  Run {what}</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>简体中文</source>
        <translation type="unfinished"></translation>
    </message>
    <message>
        <source>한국어</source>
        <translation type="unfinished"></translation>
    </message>
</context>
</TS>
