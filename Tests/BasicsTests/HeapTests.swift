import CLinux
import Basics
import Glibc
import Testing

@Suite struct HeapTests {
    @Test func `a heap gives its elements in their order, whatever came and went between`() {
        var random = SplitMix(seed: 5)
        var heap = MinHeap<Int>()
        var model: [Int] = []
        for step in 0..<2_000 {
            switch Int.random(in: 0..<5, using: &random) {
            case 0...2:
                let number = Int.random(in: 0..<100, using: &random)
                heap.push(number)
                model.append(number)
            case 3:
                let least = model.min()
                #expect(heap.least == least && heap.pop() == least)
                if let least, let place = model.firstIndex(of: least) { model.remove(at: place) }
            default:
                guard step.isMultiple(of: 7) else { continue }
                heap.keep { !$0.isMultiple(of: 3) }
                model.removeAll { $0.isMultiple(of: 3) }
            }
            #expect(heap.count == model.count)
        }
        for number in model.sorted() { #expect(heap.pop() == number) }
        #expect(heap.pop() == nil && heap.least == nil)
    }

    @Test func `the numbers of a seed are those of the published generator`() {
        var random = SplitMix(seed: 1_234_567)
        #expect(random.next() == 6_457_827_717_110_365_317)
        #expect(random.next() == 3_203_168_211_198_807_973)
        #expect(random.next() == 9_817_491_932_198_370_423)
    }

    @Test func `a thread of its own runs the work and takes no signals`() async {
        let isBlocked = await withCheckedContinuation { continuation in
            let isStarted = startThread {
                var signals = sigset_t()
                pthread_sigmask(SIG_BLOCK, nil, &signals)
                continuation.resume(
                    returning: sigismember(&signals, SIGTERM) == 1
                        && sigismember(&signals, SIGPIPE) == 1)
            }
            #expect(isStarted)
        }
        #expect(isBlocked)
    }
}
