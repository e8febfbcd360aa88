------------------------------ MODULE Retention ------------------------------
(***************************************************************************)
(* One key, and instances that keep it for a while after their holder has  *)
(* released it, in case that the next one is their own: it is *retained*.  *)
(* See README.md for what is modelled, what is not, and how to run it.     *)
(*                                                                         *)
(* Time is counted in ticks, and clocks of instances may be behind, as in  *)
(* Lock.tla: a pause, a thread that is late, and a message that is lost    *)
(* are the behaviours in which the clock ticks on first.                   *)
(***************************************************************************)
EXTENDS Integers, FiniteSets, TLC

CONSTANTS
  Instances,    \* who wants the key
  Kinds,        \* how it is asked for: "waits", "tries" (once)
  Marks,        \* whether owner ids say that the key may be retained
  Ttl,          \* for how long the store keeps a key that nobody renews
  Margin,       \* what an instance keeps back of the ttl
  MaxLag,       \* by how much a local clock can fall behind; safe up to Margin
  Reservation,  \* for how long a key is reserved for the next instance
  Delay,        \* for how long a command can be on its way, and its reply
  Block,        \* how many fencing tokens one acquisition reserves
  Poll,         \* after how long the store is asked although the next token would do; 0 for never
  MaxTime,      \* when the model ends
  MaxOwners,    \* how many owner ids may be used up
  MaxGrants,    \* how many acquire commands the store may grant
  MaxForces,    \* how often the key may be released by force
  MaxDeaf,      \* how often instances may cease to receive signals
  Account,      \* whether to keep account of since when nobody wants the key
  Bug           \* "none", or what is wrong with the protocol: see Bugs

Bugs == {"none", "reuse after the release", "reuse after the deadline", "repeat token", "store is not asked",
         "recall finds nothing", "recall is ignored", "answer forgets a recall", "answer is ignored",
         "signals at present are enough", "try recalls nobody", "any owner id is retained",
         "refused renewal finds nothing", "force finds nothing", "retained is renewed"}

ASSUME Bug \in Bugs

VARIABLES
  now,       \* real time, which is also what the clock of the store shows
  lag,       \* by how much each local clock is behind
  key,       \* what the store has: who holds the key, or whom it is reserved for (owner 0)
  queue,     \* since when each instance stands in the queue of the store, or Away
  fence,     \* the last fencing token that was handed out
  owners,    \* how many owner ids were used up
  instance,  \* what each instance believes
  net,       \* commands on their way, and replies
  signals,   \* all that were sent to somebody who received signals: they may be lost, and come late and again
  deaf,      \* who receives no signals
  faults,    \* how many of those that the bounds limit
  gone,      \* owner ids that are not to be used again: released, perhaps on the way yet, or told to be lost
  ghost      \* what nobody can see: for the invariants only

vars == <<now, lag, key, queue, fence, owners, instance, net, signals, deaf, faults, gone, ghost>>

-----------------------------------------------------------------------------

Max(a, b) == IF a >= b THEN a ELSE b

Nobody == "nobody"
Free == [of |-> Nobody, owner |-> 0, mark |-> FALSE, until |-> 0]
Away == -1

\* The monotonic clock of an instance.  Only differences of it are ever used.
Local(i) == now - lag[i]

Idle == [state |-> "idle", owner |-> 0, mark |-> FALSE, deadline |-> 0, token |-> 0, last |-> 0,
         step |-> 0,          \* of who tries once: 1 asks, 2 recalls, 3 waits for that, and asks for the last time
         asked |-> 0,         \* when the command was sent that acquired the key
         contended |-> FALSE, \* whether others are known to wait
         attentive |-> FALSE, \* whether signals were received ever since
         recalled |-> FALSE]  \* for the invariants only: whether it was told that others wait

Is(i, state) == instance[i].state = state
WithinDeadline(i) == Local(i) < instance[i].deadline

\* What isValid() answers when it is called now.
SaysHeld(i) == Is(i, "holding") /\ WithinDeadline(i)

Init ==
  /\ now = 0
  /\ lag = [i \in Instances |-> 0]
  /\ key = Free
  /\ queue = [i \in Instances |-> Away]
  /\ fence = 0
  /\ owners = 0
  /\ instance = [i \in Instances |-> Idle]
  /\ net = {}
  /\ signals = {}
  /\ deaf = {}
  /\ faults = [forced |-> 0, deaf |-> 0]
  /\ gone = {}
  /\ ghost = [forced |-> {},     \* owner ids that the key was taken from by force
              token |-> 0,       \* the largest of a lease
              unwanted |-> -1,   \* since when nobody wants to hold the key by the owner id that has it
              breaches |-> {}]   \* which rules were broken

-----------------------------------------------------------------------------
(* Instances                                                               *)

Become(i, what) == instance' = [instance EXCEPT ![i] = what]

\* Whoever has the key retains it, or gave it up.
Unwanted(k, is) ==
  IF ~Account \/ k.owner = 0 \/ (is[k.of].owner = k.owner /\ is[k.of].state \in {"asking", "holding"}) THEN -1
  ELSE IF k.owner = key.owner /\ ghost.unwanted >= 0 THEN ghost.unwanted ELSE now

NotedWith(breaches) == ghost' = [ghost EXCEPT !.unwanted = Unwanted(key', instance'), !.breaches = @ \cup breaches]
Noted == NotedWith({})

\* A lease begins.
Granted(n, token, breaches) ==
  ghost' = [ghost EXCEPT !.token = Max(@, token), !.unwanted = Unwanted(key', instance'),
    !.breaches = @ \cup breaches \cup (IF token > ghost.token \/ n \in ghost.forced THEN {} ELSE {"tokens"})]

Room(i) == \A c \in net : c.from # i
Command(op, i, what) == [op |-> op, from |-> i, owner |-> what.owner, mark |-> what.mark, step |-> what.step,
                         sent |-> Local(i), reply |-> "none", token |-> 0, contended |-> FALSE]

SendAcquire(i, what) ==
  /\ Room(i)
  /\ Become(i, [what EXCEPT !.state = "asking", !.attentive = i \notin deaf])
  /\ net' = net \cup {Command("acquire", i, what)}
  /\ UNCHANGED <<now, lag, key, queue, fence, signals, deaf, faults, gone>>
  /\ Noted

\* Ask for the key under a new owner id.
Ask(i, kind, mark) ==
  /\ Is(i, "idle")
  /\ owners < MaxOwners
  /\ owners' = owners + 1
  /\ SendAcquire(i, [Idle EXCEPT !.owner = owners + 1, !.mark = mark, !.step = IF kind = "tries" THEN 1 ELSE 0])

\* A poll, or the last attempt of who tries once.
AskAgain(i) ==
  /\ Is(i, "asking")
  /\ instance[i].step \in {0, 3}
  /\ SendAcquire(i, instance[i])
  /\ UNCHANGED owners

\* What is retained is not good enough for the next holder here, or it is time to ask whether others wait.
Prolong(i) == Is(i, "retaining") /\ SendAcquire(i, instance[i]) /\ UNCHANGED owners

\* The holder is done, nobody here wants the key, and nobody elsewhere is known to.
Retain(i) ==
  /\ SaysHeld(i)
  /\ instance[i].mark \/ Bug = "any owner id is retained"
  /\ ~instance[i].contended
  /\ instance[i].attentive \/ (Bug = "signals at present are enough" /\ i \notin deaf)
  /\ Become(i, [instance[i] EXCEPT !.state = "retaining"])
  /\ UNCHANGED <<now, lag, key, queue, fence, owners, net, signals, deaf, faults, gone>>
  /\ Noted

\* The next holder here gets the next token.
Reuse(i) ==
  LET me == instance[i]
      token == IF Bug = "repeat token" THEN me.token ELSE me.token + 1
      starved == Poll > 0 /\ \E j \in Instances \ {i} : queue[j] # Away /\ now > queue[j] + Poll + MaxLag
  IN /\ Is(i, "retaining")
     /\ WithinDeadline(i) \/ Bug = "reuse after the deadline"
     /\ Poll = 0 \/ Local(i) - me.asked <= Poll \/ Bug = "store is not asked"
     /\ token <= me.last
     /\ Become(i, [me EXCEPT !.state = "holding", !.token = token])
     /\ UNCHANGED <<now, lag, key, queue, fence, owners, net, signals, deaf, faults, gone>>
     /\ Granted(me.owner, token, IF starved THEN {"starved"} ELSE {})

Renew(i) ==
  /\ SaysHeld(i) \/ (Bug = "retained is renewed" /\ Is(i, "retaining"))
  /\ Room(i)
  /\ net' = net \cup {Command("renew", i, instance[i])}
  /\ UNCHANGED <<now, lag, key, queue, fence, owners, instance, signals, deaf, faults, gone, ghost>>

\* From now on the owner id may be released (if the process lives), whenever and how often.
Forget(i, unless) ==
  /\ Become(i, IF Bug = unless /\ Is(i, "retaining") THEN instance[i] ELSE Idle)
  /\ gone' = gone \cup {instance[i].owner}

\* What is retained is given back, for whatever reason; a lease is closed, or lost; a command timed out; the process is killed.
GiveUp(i) ==
  /\ ~Is(i, "idle")
  /\ Forget(i, "reuse after the release")
  /\ UNCHANGED <<now, lag, key, queue, fence, owners, net, signals, deaf, faults>>
  /\ Noted

\* A reply arrives.
Receive(c) ==
  LET i == c.from
      me == instance[i]
      mine == ~Is(i, "idle") /\ me.owner = c.owner
      deadline == c.sent + Ttl - Margin
  IN /\ c.reply # "none"
     /\ net' = net \ {c}
     /\ UNCHANGED <<now, lag, key, queue, fence, owners, signals, deaf, faults>>
     /\ CASE mine /\ c.op = "acquire" /\ Local(i) < deadline ->
               /\ Become(i, [me EXCEPT
                    !.state = "holding", !.deadline = deadline, !.step = 0, !.token = c.token, !.last = c.token + Block - 1,
                    !.asked = IF Poll = 0 THEN 0 ELSE c.sent, !.recalled = @ \/ c.contended,
                    !.contended = \/ c.contended /\ Bug # "answer is ignored"
                                  \/ @ /\ Bug # "answer forgets a recall"])
               /\ UNCHANGED gone
               /\ Granted(c.owner, c.token, {})
          [] mine /\ (c.reply = "refused" \/ c.op = "acquire") -> \* lost, or too late
               Forget(i, "refused renewal finds nothing") /\ Noted
          [] mine /\ c.op = "renew" /\ SaysHeld(i) ->
               /\ Become(i, [me EXCEPT !.deadline = Max(@, deadline)])
               /\ UNCHANGED gone
               /\ Noted
          [] OTHER -> UNCHANGED <<instance, gone, ghost>>

\* Others wait: what is retained is given back at once, and what is held will not be retained.  That may come late, to who
\* acquired the key after it was sent.
Recall(i) ==
  /\ IF Is(i, "retaining") /\ Bug # "recall is ignored"
     THEN Forget(i, "reuse after the release")
     ELSE /\ Become(i, [instance[i] EXCEPT !.recalled = TRUE,
                                           !.contended = @ \/ Bug \notin {"recall finds nothing", "recall is ignored"}])
          /\ UNCHANGED gone

Hear(s) ==
  LET i == s.to
  IN /\ i \notin deaf
     /\ IF s.kind = "forced"
        THEN instance[i].owner = s.owner /\ Forget(i, "force finds nothing")
        ELSE ~Is(i, "idle") /\ Recall(i)
     /\ UNCHANGED <<now, lag, key, queue, fence, owners, net, signals, deaf, faults>>
     /\ Noted

\* An instance ceases to receive signals, and gives back what it retains.
Deafen(i) ==
  /\ faults.deaf < MaxDeaf
  /\ i \notin deaf
  /\ deaf' = deaf \cup {i}
  /\ faults' = [faults EXCEPT !.deaf = @ + 1]
  /\ IF Is(i, "retaining")
     THEN Forget(i, "reuse after the release")
     ELSE Become(i, [instance[i] EXCEPT !.attentive = FALSE]) /\ UNCHANGED gone
  /\ UNCHANGED <<now, lag, key, queue, fence, owners, net, signals>>
  /\ Noted

Listen(i) ==
  /\ i \in deaf
  /\ deaf' = deaf \ {i}
  /\ UNCHANGED <<now, lag, key, queue, fence, owners, instance, net, signals, faults, gone, ghost>>

-----------------------------------------------------------------------------
(* The store                                                               *)

\* Tell the holder.
Told(kind) == IF key.owner = 0 \/ key.of \in deaf THEN signals
              ELSE signals \cup {[kind |-> kind, to |-> key.of, owner |-> key.owner]}

Reply(c, reply) == (net \ {c}) \cup (IF c.owner \in gone THEN {} ELSE {reply}) \* else nobody would listen

Grant(c) ==
  /\ fence < MaxGrants * Block
  /\ fence' = fence + Block
  /\ key' = [of |-> c.from, owner |-> c.owner, mark |-> c.mark, until |-> now + Ttl]
  /\ queue' = [queue EXCEPT ![c.from] = Away]
  /\ net' = Reply(c, [c EXCEPT !.reply = "done", !.token = fence + 1,
                               !.contended = \E j \in Instances \ {c.from} : queue[j] # Away])
  /\ UNCHANGED <<signals, instance, gone>>
  /\ Noted

\* The key is another's, which is heard at once or never.  Whoever waits joins the queue, and the holder is told.  Who tries
\* once, and learns that the key may be retained, does so, too, and asks once more.
Refuse(c) ==
  LET i == c.from
      me == instance[i]
      heard == Is(i, "asking") /\ me.owner = c.owner
      recalls == c.step = 1 /\ key.mark /\ Bug # "try recalls nobody"
      fails == heard /\ c.step \in {1, 3} /\ ~recalls
      joins == c.step \in {0, 2}
      unasked == /\ key.owner # 0
                 /\ Is(key.of, "retaining") /\ instance[key.of].owner = key.owner
                 /\ [kind |-> "contended", to |-> key.of, owner |-> key.owner] \notin signals
  IN /\ queue' = [queue EXCEPT ![i] = IF joins /\ @ = Away THEN (IF Poll = 0 THEN 0 ELSE now) ELSE IF fails THEN Away ELSE @]
     /\ signals' = IF joins THEN Told("contended") ELSE signals
     /\ net' = (net \ {c}) \cup (IF heard /\ recalls THEN {[c EXCEPT !.step = 2, !.sent = Local(i)]} ELSE {})
     /\ IF fails THEN Forget(i, "no bug")
        ELSE /\ Become(i, IF heard THEN [me EXCEPT !.step = IF @ \in {1, 2} THEN @ + 1 ELSE @,
                                                   !.contended = FALSE, !.recalled = FALSE] ELSE me)
             /\ UNCHANGED gone
     /\ UNCHANGED <<key, fence>>
     /\ NotedWith(IF fails /\ unasked THEN {"unasked"} ELSE {})

ExecuteRenew(c) ==
  /\ key' = IF key.owner = c.owner THEN [key EXCEPT !.until = now + Ttl] ELSE key
  /\ net' = Reply(c, [c EXCEPT !.reply = IF key.owner = c.owner THEN "done" ELSE "refused"])
  /\ UNCHANGED <<queue, fence, signals, instance, gone>>
  /\ Noted

Execute(c) ==
  /\ c.reply = "none"
  /\ CASE c.op = "renew" -> ExecuteRenew(c)
       [] key.owner \in {0, c.owner} /\ key.of \in {Nobody, c.from} -> Grant(c)
       [] OTHER -> Refuse(c)
  /\ UNCHANGED <<now, lag, owners, deaf, faults>>

\* The key is deleted, or reserved for one of those in the queue.
Pass ==
  /\ IF \A j \in Instances : queue[j] = Away
     THEN key' = Free /\ queue' = queue
     ELSE \E j \in Instances : /\ queue[j] # Away
                               /\ key' = [Free EXCEPT !.of = j, !.until = now + Reservation]
                               /\ queue' = [queue EXCEPT ![j] = Away]
  /\ UNCHANGED <<now, lag, fence, owners, instance, net, deaf, gone>>

\* A release arrives.
Release == key.owner \in gone /\ Pass /\ UNCHANGED <<signals, faults>> /\ Noted

\* Who gave up leaves the queue, and has no use for what is reserved for it.
Leave(i) ==
  /\ ~Is(i, "asking")
  /\ \/ key.of = i /\ key.owner = 0 /\ Pass
     \/ queue[i] # Away /\ queue' = [queue EXCEPT ![i] = Away]
                        /\ UNCHANGED <<now, lag, key, fence, owners, instance, net, deaf, gone>>
  /\ UNCHANGED <<signals, faults>>
  /\ Noted

Force ==
  /\ key.owner # 0
  /\ faults.forced < MaxForces
  /\ faults' = [faults EXCEPT !.forced = @ + 1]
  /\ signals' = Told("forced")
  /\ Pass
  /\ ghost' = [ghost EXCEPT !.forced = @ \cup {key.owner}, !.unwanted = -1]

\* Who waits for a key that expires asks again.  Who tries once has been stopped for too long, or met one who was: that fails.
Tick ==
  /\ now < MaxTime
  /\ now' = now + 1
  /\ lag' \in [Instances -> 0..MaxLag]
  /\ \A i \in Instances : lag'[i] <= lag[i] + 1
  /\ net' = {c \in net : now' - lag'[c.from] - c.sent <= Delay}
  /\ IF key # Free /\ key.until <= now'
     THEN LET failed == {i \in Instances : Is(i, "asking") /\ instance[i].step > 1}
          IN /\ key' = Free
             /\ queue' = [i \in Instances |-> Away]
             /\ instance' = [i \in Instances |-> IF i \in failed THEN Idle ELSE instance[i]]
             /\ gone' = gone \cup {instance[i].owner : i \in failed}
     ELSE UNCHANGED <<key, queue, instance, gone>>
  /\ UNCHANGED <<fence, owners, signals, deaf, faults>>
  /\ Noted

Next ==
  \/ Tick
  \/ \E i \in Instances : \/ \E kind \in Kinds, mark \in Marks : Ask(i, kind, mark)
                          \/ AskAgain(i) \/ Retain(i) \/ Reuse(i) \/ Prolong(i) \/ Renew(i) \/ GiveUp(i)
                          \/ Deafen(i) \/ Listen(i) \/ Leave(i)
  \/ \E c \in net : Receive(c) \/ Execute(c)
  \/ \E s \in signals : Hear(s)
  \/ Release
  \/ Force

Spec == Init /\ [][Next]_vars

Symmetry == Permutations(Instances)

-----------------------------------------------------------------------------
(* What must hold                                                          *)

TypeOK ==
  /\ now \in 0..MaxTime
  /\ \A i \in Instances : instance[i].state \in {"idle", "asking", "holding", "retaining"}
  /\ key = Free \/ (key.of \in Instances /\ key.owner \in 0..owners /\ key.until > now)

Unforced(i) == instance[i].owner \notin ghost.forced

\* No two holders are within their deadlines, unless the key was taken from one of them by force.
Exclusive == \A i, j \in Instances : SaysHeld(i) /\ SaysHeld(j) /\ Unforced(i) /\ Unforced(j) => i = j

\* Whoever holds or retains the key, within its deadline, has it at the store.
Backed == \A i \in Instances : instance[i].state \in {"holding", "retaining"} /\ WithinDeadline(i) /\ Unforced(i)
                                 => key.owner = instance[i].owner

\* Each lease has a larger token than every lease before, unless the key was taken from its owner id by force.
TokensGrow == "tokens" \notin ghost.breaches

\* Nobody holds the key by an owner id whose release was sent, or that was told to be lost.
GoneForGood == \A i \in Instances : Is(i, "holding") => instance[i].owner \notin gone

\* Nobody retains the key who was told that others wait.
GivenBack == \A i \in Instances : Is(i, "retaining") => ~instance[i].recalled

\* Who tries once does not fail for somebody who retains the key, and was not told by a signal that can arrive.
TriesRecall == "unasked" \notin ghost.breaches

\* Nobody reuses the key a poll interval after another joined the queue, even if all signals are lost.
NobodyStarves == "starved" \notin ghost.breaches

\* A key that nobody holds or asks for is free a ttl after the last command for it could arrive.
NoOrphan == ghost.unwanted >= 0 => key.until <= ghost.unwanted + Delay + MaxLag + Ttl

=============================================================================
