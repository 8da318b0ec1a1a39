import Foundation
import JobFiles
import Testing

/// That no job and no question is left out in silence.
@Suite struct AppCaseTests {
    @Test func `every shipped job over CloudKit is a case`() throws {
        let jobs = packageRoot.appending(path: "jobs")
        let files = try FileManager.default.subpathsOfDirectory(atPath: jobs.path).filter {
            try $0.hasSuffix(".yaml")
                && String(contentsOf: jobs.appending(path: $0), encoding: .utf8)
                    .contains("preset: cloudkit")
        }
        #expect(Set(files) == Set(AppCase.all.map { "\($0.app.file).yaml" }))
    }

    @Test(arguments: AppCase.all)
    func `a question is left out of a job only where its file does not do what it asks`(
        _ app: AppCase
    ) throws {
        let file = try JobFile.parse(app.app.yaml(), file: app.name).get()
        let entity = try #require(file.entities.first { $0.name == app.entity })
        let does: [AppQuestion: Bool] = [
            .sweeps: entity.sweeps, .feed: entity.page.isFeed, .pushes: entity.push != nil,
            .pushesDeletions: entity.push?.sendsDeletes == true,
            .account: file.schedule.requires.contains(.secret("ck_web_auth_token")),
            .unfit: !app.unfit.isEmpty,
        ]
        #expect(does.count == AppQuestion.allCases.count)
        for (question, isDone) in does {
            #expect((app.without[question] == nil) == isDone, "\(question)")
        }
    }
}
