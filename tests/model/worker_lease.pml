/*
 * Leases of a worker ID: two owners, one record, no tick issued twice. Checked exhaustively by spin; see
 * test_worker_lease_model.py for the bounds, and for what is asked: `python3 -m pytest tests/model`, also with --large.
 *
 * What stands for what (src/worker/):
 *   rec[v]          the record of one worker ID as it was at version v (LeaseRecord; RecordView::version). The first
 *                   one, rec[0], was left by an owner long gone, which used tick 1.
 *   rec[v].owner    LeaseRecord::owner. The random ID of a lease is named after the version that the lease began with.
 *   rec[v].fence    LeaseRecord::fence
 *   m[i].mine       LeaseRecord::write: the version that landed from a write of which instance i, as long as it
 *                   remembers it (Lease::unresolved, attempt_), had no answer. No other can be taken for it, as the
 *                   text is random.
 *   m[i]            the memory of an instance (LeaseMachine): phase; own, ver and lim are owner, version and fence of
 *                   its last confirmed write; last is the generator's tick, at first the floor.
 *   file[i]         worker.json (WorkerState): owner, last committed fence, watermark, released or held. It is a
 *                   permission here; that it is also a floor matters only to a registry that loses writes.
 *   sent[i], late   writes under way: one for which instance i waits, one that outlives its sender's patience or life.
 *   issued          the ticks issued so far, and with `assert` in issue_tick() the whole promise.
 *
 * Clocks are arbitrary: a fence, a tick and a watermark may be any number that the rules allow. So are delays: between
 * any two steps anything else may happen. An answer that is late is as one that is lost: the write lands without
 * telling, and the instance may find that out at any later time, by reading the record. What it reads may be stale: to
 * take the record over or to resume, any version there ever was; for a lease that is held, one that is not older than
 * its own, which then teaches it nothing. A lease may end, and an instance may crash, at any moment and for any reason,
 * and none has to notice that its record was taken: stopping at once is courtesy.
 *
 * Left out, since no safety rests on it: `state` and `timestamp` in the record, max_clock_skew, max_ahead, and the wait
 * until a fence has passed; here anybody may take the record over at any time. Left out as well: a registry that loses
 * what it acknowledged, other worker IDs, creation (a record yet to be made is one whose fence lies before all ticks),
 * a power failure (it voids the permission, as a lost file does), a state file copied with its folder (it permits
 * nothing, save in a mutation), and the IDs of a copied memory before each copy has heartbeaten (not promised).
 *
 * Bounds: TICKS is the highest tick (at most 7), WRITES the number of writes that land (at most 7), CRASHES that of
 * crashes (at most 3), and one write at a time is late. The kind of world is chosen by -DFILES (instances have state
 * files) and -DCOPIES (once, the memory of an instance is copied into the other one). Of the names MUTATE... and
 * PROBE... at most one is to be defined: the former break a rule, and thereby the promise; the latter claim that
 * something never happens which must be able to.
 */
#ifndef TICKS
#define TICKS 4
#endif
#ifndef WRITES
#define WRITES 3
#endif
#ifndef CRASHES
#define CRASHES 1
#endif

/* phases of an instance */
#define IDLE 0    /* seeks a lease; without state files, also: no process */
#define LEASED 1  /* issues; with ver == 0 by its state file alone */
#define CLOSED 2  /* releases: the generator is closed for good */
#define DOWN 3    /* no process */

/* kinds of writes */
#define NONE 0
#define TAKE 1
#define RESUME 2
#define BEAT 3
#define RELEASE 4

typedef Record {
    unsigned owner : 3;
    unsigned fence : 3 = 1  /* of rec[0]; the others are written before they are read */
}

typedef Memory {
    unsigned phase : 2;
    unsigned own : 3;
    unsigned ver : 3;
    unsigned lim : 3;
    unsigned last : 3;
    unsigned mine : 3;
#ifdef FILES
    unsigned stored : 1;   /* the watermark in the file is this lease's */
    unsigned no_file : 1;  /* given up */
#endif
#ifdef COPIES
    unsigned shared : 1;   /* `mine` was sent before the copy */
    unsigned unsure : 1;   /* copied, and not heartbeaten since */
#endif
#ifdef MUTATE_CLOSE_NOT_ATOMIC
    unsigned looked : 3    /* a tick that a taker has chosen and not taken yet */
#endif
}

typedef Write {
    unsigned kind : 3;
    unsigned expected : 3;
    unsigned fence : 3;
    unsigned owner : 3;
    unsigned from : 2  /* the instances that remember it, as bits */
}

typedef File {
    unsigned owner : 3;  /* 0: there is no file */
    unsigned fence : 3;
    unsigned mark : 3;
    unsigned released : 1
}

Record rec[WRITES + 1];
unsigned cur : 3;
Memory m[2];
Write sent[2];
Write late;
#ifdef FILES
File file[2];
unsigned crashes : 2;
#endif
#ifdef COPIES
bit copied;
#endif
byte issued = 2;  /* tick 1 */
#ifdef PROBE_BOTH_ISSUE
byte issuers;
#endif
#ifdef PROBE_TAKE_AFTER_RELEASE
bit was_released;
#endif
#ifdef PROBE_RESUME_AFTER_LATE_BEAT
bit late_beat;
#endif

/* within one step only */
hidden byte seen;
hidden byte value;
hidden byte tick;
hidden byte limit;
hidden byte answered;

#define i _pid  /* of the instance that takes the step */
#define ME (1 << i)
#define OTHER (1 - i)

inline pick(x, low, high) {
    x = low;
    do
    :: x < (high) -> x++
    :: break
    od;
    skip  /* a d_step must not be jumped to */
}

inline forget_write(s) {
    s.kind = NONE; s.expected = 0; s.fence = 0; s.owner = 0; s.from = 0
}

inline move_to_late(s) {
    late.kind = s.kind; late.expected = s.expected; late.fence = s.fence; late.owner = s.owner; late.from = s.from;
    forget_write(s)
}

inline send(k, version, upto) {
    sent[i].kind = k;
    sent[i].expected = version;
    sent[i].fence = upto;
    sent[i].owner = (k == BEAT || k == RELEASE -> m[i].own : 0);
    sent[i].from = (k == RELEASE -> 0 : ME)
}

/* Data that nothing reads any more must not tell states apart. */
inline tidy_attempt(j) {
    if
    :: m[j].phase == IDLE && m[j].mine == 0 && sent[j].kind == NONE && (late.from & (1 << j)) == 0 -> m[j].last = 0
    :: else
    fi
}

#if defined(MUTATE_NO_COMPARE_AND_SET)
#define refused(s) false
#elif defined(MUTATE_RESUME_WITHOUT_COMPARE_AND_SET)
#define refused(s) (s.expected != cur && s.kind != RESUME)
#else
#define refused(s) (s.expected != cur)
#endif

inline drop_if_refused(s) {
    if
    :: s.kind != NONE && (cur == WRITES || refused(s)) -> forget_write(s)
    :: else
    fi
}

inline tidy() {
    drop_if_refused(sent[0]);
    drop_if_refused(sent[1]);
    drop_if_refused(late);
    tidy_attempt(0);
    tidy_attempt(1)
}

/* ---- the registry */

inline remember_landed(j, s) {
    if
    :: s.from & (1 << j) ->
        m[j].mine = cur;
#ifdef COPIES
        m[j].shared = (s.from == 3)
#endif
    :: else
    fi
}

inline land(s) {
    cur++;
    rec[cur].fence = s.fence;
    rec[cur].owner = (s.kind == TAKE || s.kind == RESUME -> cur : s.owner);
    remember_landed(0, s);
    remember_landed(1, s);
#ifdef PROBE_TAKE_AFTER_RELEASE
    if
    :: s.kind == RELEASE -> was_released = 1
    :: else
    fi;
#endif
#ifdef PROBE_RESUME_AFTER_LATE_BEAT
    if
    :: s.kind == BEAT && s.from == 0 && s.owner == file[0].owner && m[0].phase == LEASED && m[0].ver == 0 ->
        late_beat = 1
    :: else
    fi;
#endif
#ifdef PROBE_LATE_WRITE_LANDS
    assert(s.from != 0 || s.kind == RELEASE);
#endif
}

/* ---- an instance */

/* The write that became this version is known to be done. */
inline confirm(j, version) {
#ifdef PROBE_RESUME
    assert(!(m[j].phase == LEASED && m[j].ver == 0));
#endif
#ifdef PROBE_RESUME_AFTER_LATE_BEAT
    assert(!(late_beat && j == 0 && m[j].ver == 0 && m[j].phase == LEASED));
#endif
    m[j].ver = version;
    m[j].own = rec[version].owner;
    if
    :: m[j].phase == IDLE -> m[j].phase = LEASED
    :: else
    fi;
    m[j].lim = (m[j].phase == LEASED -> rec[version].fence : 0);
    m[j].mine = 0;  /* last, as it may be what `version` stands for */
#ifdef COPIES
    m[j].unsure = m[j].unsure && m[j].shared;
    m[j].shared = 0;
#endif
}

/* The answer reaches the instance that waits for it, or does not. */
inline answer(j) {
    land(sent[j]);
    forget_write(sent[j]);
    if
    :: answered && m[j].mine == cur -> confirm(j, cur)
    :: else
    fi;
    tidy()
}

/* What the memory held is gone, and nobody waits for its writes; one of them may still land. */
inline end_lease(next) {
    if
    :: late.from & ME -> late.from = late.from & ~ME
    :: else
    fi;
    if
    :: sent[i].kind != NONE && late.kind == NONE -> sent[i].from = 0; move_to_late(sent[i])
    :: else -> forget_write(sent[i])
    fi;
    m[i].phase = next;
    m[i].own = 0; m[i].ver = 0; m[i].lim = 0; m[i].last = 0; m[i].mine = 0;
#ifdef FILES
    m[i].stored = 0;
#endif
#ifdef COPIES
    m[i].shared = 0; m[i].unsure = 0;
#endif
}

#ifdef FILES
#define WITH_FILE (!m[i].no_file)
#else
#define WITH_FILE false
#endif

/* Invariants 2 and 5: up to a committed fence, and up to the watermark. */
inline find_limit() {
    limit = m[i].lim;
#if defined(FILES) && !defined(MUTATE_BEYOND_WATERMARK)
    if
    :: WITH_FILE && !m[i].stored -> limit = 0
    :: WITH_FILE && m[i].stored && file[i].mark < limit -> limit = file[i].mark
    :: else
    fi;
#endif
#ifdef COPIES
    if
    :: m[i].unsure -> limit = 0  /* not promised: a copy that has not heartbeaten yet */
    :: else
    fi;
#endif
}

inline issue_tick(chosen) {
    assert(!(issued & (1 << chosen)));
    issued = issued | (1 << chosen);
#ifdef PROBE_BOTH_ISSUE
    issuers = issuers | ME;
    assert(issuers != 3);
#endif
#ifdef PROBE_TAKE_AFTER_RELEASE
    assert(!(was_released && m[i].own == cur && cur > 0));
#endif
#ifdef PROBE_TAKE_AFTER_CRASH
    assert(!(crashes > 0 && m[OTHER].phase == DOWN && file[OTHER].owner > 0 && m[i].own == file[OTHER].owner + 1));
#endif
#ifdef PROBE_OFFLINE
    assert(m[i].ver > 0);
#endif
#ifdef PROBE_COPY_GOES_ON
    assert(!(copied && m[i].ver > 1 && m[i].own == 1));
#endif
}

/* The names of instances do not matter: the first to do something is 0. */
#define MAY_BEGIN (i == 0 || cur > 0 || sent[0].kind != NONE || late.kind != NONE)

/* Invariant 3: the least fence of each kind of write. */
#ifdef MUTATE_BEAT_LOWERS_FENCE
#define FENCE_OF_BEAT 1
#else
#define FENCE_OF_BEAT m[i].lim
#endif
#ifdef MUTATE_TAKE_LOWERS_FENCE
#define FENCE_OF_TAKE 1
#else
#define FENCE_OF_TAKE rec[seen].fence
#endif
#ifdef MUTATE_RESUME_LOWERS_FENCE
#define FENCE_OF_RESUME 1
#else
#define FENCE_OF_RESUME rec[seen].fence
#endif
#if defined(MUTATE_RELEASE_TO_ZERO)
#define RELEASED_FENCE (m[i].last == rec[m[i].own - 1].fence -> 0 : m[i].last)
#else
#define RELEASED_FENCE m[i].last
#endif

#if !defined(FILES) || defined(MUTATE_RELEASE_ORDER)
#define MARKED true
#else
#define MARKED (m[i].no_file || (file[i].owner == m[i].own && file[i].released))
#endif

#if defined(MUTATE_RESUME_FOREIGN_RECORD)
#define RESUMABLE(version) true
#else
#define RESUMABLE(version) (rec[version].owner == m[i].own)
#endif

active [2] proctype instance() {
end:
    do
    /* Take the record over: by compare-and-set with a version merely read, to start above the fence in it. */
    :: atomic {
        m[i].phase == IDLE && sent[i].kind == NONE && cur < WRITES && MAY_BEGIN ->
            pick(seen, 0, cur);
            pick(value, FENCE_OF_TAKE, TICKS);
            d_step {
                late.from = late.from & ~ME;
                m[i].mine = 0;
#ifdef MUTATE_NO_FLOOR
                m[i].last = 0;
#else
                m[i].last = rec[seen].fence;
#endif
                send(TAKE, seen, value);
                tidy()
            }
       }

    /* Heartbeat: only with the version that the last confirmed write returned (invariant 1). */
    :: atomic {
        m[i].phase == LEASED && m[i].ver > 0 && sent[i].kind == NONE && cur < WRITES ->
            pick(value, FENCE_OF_BEAT, TICKS);
            d_step {
                send(BEAT, m[i].ver, value);
#ifdef MUTATE_FENCE_ATTEMPTED
                m[i].lim = value;
#endif
                tidy()
            }
       }

    /* No answer: the write is lost, or may still land when something else was sent. */
    :: d_step {
        sent[i].kind != NONE ->
#ifdef MUTATE_UNKNOWN_IS_DONE
            if
            :: m[i].phase != CLOSED ->
                m[i].lim = sent[i].fence;
                if
                :: m[i].phase == IDLE ->
                    m[i].phase = LEASED; m[i].ver = sent[i].expected + 1; m[i].own = m[i].ver
                :: else
                fi
            :: else
            fi;
#endif
            if
            :: late.kind == NONE -> move_to_late(sent[i])
            :: else -> forget_write(sent[i])
            fi;
            tidy()
       }

    /* Read the record again: it is still ours only if the last write in it is (invariant 4). */
    :: d_step {
        m[i].mine > 0 ->
#ifdef PROBE_LOST_ANSWER_FOUND
            assert(false);
#endif
            confirm(i, m[i].mine);
            tidy()
       }
#ifdef MUTATE_OWNER_IS_PROOF
    /* Not the `write` in the record is asked, but the owner. */
    :: d_step {
        m[i].phase == LEASED && m[i].ver > 0 && m[i].ver < cur && rec[cur].owner == m[i].own ->
            confirm(i, cur); tidy()
       }
#endif
#ifdef MUTATE_VERSION_READ
    /* A version merely read is used for the next heartbeat. */
    :: d_step {
        m[i].phase == LEASED && m[i].ver > 0 && m[i].ver < cur -> m[i].ver = cur
       }
#endif

    /* An ID: one atomic step, which closing excludes (invariant 6). */
#ifndef MUTATE_CLOSE_NOT_ATOMIC
    :: atomic {
        m[i].phase == LEASED && m[i].last < m[i].lim ->
            find_limit();
            if
            :: m[i].last < limit ->
                pick(tick, m[i].last + 1, limit);
                d_step { issue_tick(tick); m[i].last = tick }
            :: else
            fi
       }
#else
    /* Between look and take, others may act, and the lease may be closed. */
    :: atomic {
        m[i].phase == LEASED && m[i].last < m[i].lim && m[i].looked == 0 ->
            find_limit();
            if
            :: m[i].last < limit -> pick(tick, m[i].last + 1, limit); m[i].looked = tick
            :: else
            fi
       }
    :: d_step {
        m[i].looked > 0 ->
            issue_tick(m[i].looked);
            if
            :: m[i].phase == LEASED -> m[i].last = m[i].looked
            :: else
            fi;
            m[i].looked = 0
       }
#endif

    /* Release: close, mark the file, and only then lower the fence (invariants 3 and 5). */
    :: d_step {
        m[i].phase == LEASED && m[i].ver > 0 && cur < WRITES -> m[i].phase = CLOSED; m[i].lim = 0
       }
    :: d_step {
        m[i].phase == CLOSED && MARKED && sent[i].kind == NONE && cur < WRITES ->
            send(RELEASE, m[i].ver, RELEASED_FENCE);
            tidy()
       }

#ifdef FILES
    /* The file says released, and the last tick used. */
    :: d_step {
        m[i].phase == CLOSED && WITH_FILE && !(file[i].owner == m[i].own && file[i].released) ->
            file[i].owner = m[i].own; file[i].mark = m[i].last; file[i].released = 1;
#ifndef MUTATE_OFFLINE_WHEN_RELEASED
            file[i].fence = 0
#endif
       }
    /* The process ends, with the record released or, when the file or the registry failed, as it stands. */
    :: d_step {
        m[i].phase == CLOSED -> end_lease(DOWN); m[i].no_file = 0; tidy()
       }
    /* Stop while the registry is away: the file keeps its permission. */
    :: d_step {
        m[i].phase == LEASED && WITH_FILE && m[i].lim > 0 && crashes < CRASHES ->
            crashes++;
            file[i].owner = m[i].own; file[i].fence = m[i].lim; file[i].mark = m[i].last; file[i].released = 0;
            end_lease(DOWN); tidy()
       }

    /* The watermark goes ahead, never past the fence. */
    :: atomic {
        m[i].phase == LEASED && WITH_FILE && m[i].lim >= m[i].last && m[i].lim > 0 ->
            tick = (m[i].stored && file[i].mark > m[i].last -> file[i].mark : m[i].last);
            pick(value, tick, m[i].lim);
            d_step {
                file[i].owner = m[i].own; file[i].fence = m[i].lim; file[i].mark = value; file[i].released = 0;
                m[i].stored = 1
            }
       }
    /* The file cannot be written: the record is abandoned as it stands. */
    :: d_step {
        m[i].phase == LEASED && WITH_FILE ->
#ifndef MUTATE_FILE_GIVEN_UP_IN_PLACE
            end_lease(IDLE); tidy();
#endif
            m[i].no_file = 1
       }

    /* Resume: the record still names the owner in the file. */
    :: atomic {
        m[i].phase == LEASED && m[i].ver == 0 && sent[i].kind == NONE && cur < WRITES ->
            pick(seen, 0, cur);
            if
            :: RESUMABLE(seen) -> pick(value, FENCE_OF_RESUME, TICKS); d_step { send(RESUME, seen, value); tidy() }
            :: else
            fi
       }

    /* A crash. */
    :: d_step {
        m[i].phase != DOWN && crashes < CRASHES -> crashes++; end_lease(DOWN); m[i].no_file = 0; tidy()
       }
    /* A start with the state file: above the watermark and up to the fence in it, and not when it says released. */
    :: d_step {
        m[i].phase == DOWN && file[i].owner > 0 ->
            m[i].phase = LEASED; m[i].own = file[i].owner; m[i].last = file[i].mark;
            m[i].lim = file[i].fence
#ifndef MUTATE_OFFLINE_WHEN_RELEASED
            ;
            if
            :: file[i].released -> m[i].lim = 0
            :: else
            fi
#endif
       }
    /* A start without it: there is none, or it is lost, or proves nothing. */
    :: d_step {
        m[i].phase == DOWN ->
            file[i].owner = 0; file[i].fence = 0; file[i].mark = 0; file[i].released = 0;
            m[i].phase = IDLE
       }
#ifdef MUTATE_CLONED_STATE_FILE
    /* A copy of another's file is taken for a proof of that one's death. */
    :: d_step {
        m[i].phase == IDLE && sent[i].kind == NONE && m[i].mine == 0 && file[OTHER].owner > 0 ->
            file[i].owner = file[OTHER].owner; file[i].fence = file[OTHER].fence;
            file[i].mark = file[OTHER].mark; file[i].released = file[OTHER].released;
            end_lease(DOWN)
       }
#endif
#else
    /* Without a state file the next life is like one that never was. */
    :: d_step {
        m[i].phase == CLOSED -> end_lease(IDLE); tidy()
       }
#endif

    /* Lost, or said to be. */
    :: d_step {
        m[i].phase == LEASED -> end_lease(IDLE); tidy()
       }

#ifdef COPIES
    /* The machine is copied while its instance holds a lease. */
    :: d_step {
        !copied && m[i].phase == LEASED && sent[i].kind == NONE && m[OTHER].phase == IDLE &&
            sent[OTHER].kind == NONE && m[OTHER].mine == 0 && (late.from & (1 << OTHER)) == 0 ->
            copied = 1;
            m[OTHER].phase = m[i].phase; m[OTHER].own = m[i].own; m[OTHER].ver = m[i].ver; m[OTHER].lim = m[i].lim;
            m[OTHER].last = m[i].last; m[OTHER].mine = m[i].mine;
            m[0].unsure = 1; m[1].unsure = 1;
            m[0].shared = m[i].mine > 0; m[1].shared = m[i].mine > 0;
            late.from = (late.from & ME -> 3 : late.from)
       }
#endif
    od
}

active proctype registry() {
end:
    do
    :: atomic {
        sent[0].kind != NONE && cur < WRITES && !refused(sent[0]) ->
            if
            :: answered = 0
            :: answered = 1
            fi;
            skip;
            d_step { answer(0) }
       }
    :: atomic {
        sent[1].kind != NONE && cur < WRITES && !refused(sent[1]) ->
            if
            :: answered = 0
            :: answered = 1
            fi;
            skip;
            d_step { answer(1) }
       }
    /* What is late gives no answer; or it never arrives. */
    :: d_step {
        late.kind != NONE && cur < WRITES && !refused(late) -> land(late); forget_write(late); tidy()
       }
    :: d_step {
        late.kind != NONE -> forget_write(late); tidy()
       }
    od
}
