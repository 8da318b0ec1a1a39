// A thread hands objects to tasks by continuations and touches them no more: there is no race in it.
//
// bin/tsan builds it with ThreadSanitizer and runs it. A continuation that is resumed at the very moment at
// which its task begins to wait is handed over by one failed exchange in libswift_Concurrency.so, which is
// not instrumented; the sanitizer then misses the order and reports a race, once in some 100,000. Where it
// does so here, bin/tsan knows a report of that shape for what it is.
import Glibc

final class Handle: Sendable {
    let number: Int
    init(_ number: Int) { self.number = number }
}

@inline(never) func makeHandle(_ number: Int) -> Handle { Handle(number) }

/// Its work is guarded by its mutex.
final class Lane: @unchecked Sendable {
    private var mutex = pthread_mutex_t()
    private var condition = pthread_cond_t()
    private var work: [@Sendable () -> Void] = []

    init() {
        pthread_mutex_init(&mutex, nil)
        pthread_cond_init(&condition, nil)
        var thread = pthread_t()
        pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { return nil }
                Unmanaged<Lane>.fromOpaque(argument).takeUnretainedValue().serve()
                return nil
            }, Unmanaged.passRetained(self).toOpaque())
    }

    func add(_ item: @escaping @Sendable () -> Void) {
        pthread_mutex_lock(&mutex)
        work.append(item)
        pthread_cond_signal(&condition)
        pthread_mutex_unlock(&mutex)
    }

    private func serve() {
        while true {
            pthread_mutex_lock(&mutex)
            while work.isEmpty { pthread_cond_wait(&condition, &mutex) }
            let item = work.removeFirst()
            pthread_mutex_unlock(&mutex)
            item()
        }
    }
}

@main struct Handover {
    static func main() async {
        let sum = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<4 { group.addTask { await handOver(60_000) } }
            var sum = 0
            for await one in group { sum &+= one }
            return sum
        }
        print(sum)
    }

    static func handOver(_ count: Int) async -> Int {
        let lane = Lane()
        var sum = 0
        for number in 0..<count {
            let handle: Handle = await withCheckedContinuation { continuation in
                lane.add {
                    var delay = 0
                    for step in 0..<(number % 300) { delay &+= step }
                    continuation.resume(returning: makeHandle(number &+ delay))
                }
            }
            sum &+= handle.number
        }
        return sum
    }
}
